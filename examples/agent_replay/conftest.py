import pytest
from refund_agent import answer

from pytest_recall.replay import Agent


@pytest.fixture
def agent() -> Agent:
    return answer

"""Secrets are taken out, and an unchanged agent is reproduced all the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall.replay import Recorder, eval_capture_determinism, redact

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"Authorization": "Bearer abc"}, {"Authorization": "[redacted]"}),
        (
            {"a": [{"api_key": "k", "x-api-key": "k", "openai-api-key": "k"}]},
            {"a": [dict.fromkeys(["api_key", "x-api-key", "openai-api-key"], "[redacted]")]},
        ),
        ({"password": None, "tokens": 3, "max_tokens": 9}, {"password": None, "tokens": 3, "max_tokens": 9}),
        ("use sk-abcdefghijklmnopqrstuv now", "use [redacted] now"),
        ("Authorization: Bearer abcdefgh12", "Authorization: Bearer [redacted]"),
        ("ghp_" + "a" * 36, "[redacted]"),
        ("AKIAABCDEFGHIJKLMNOP", "[redacted]"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF", "[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----.", "[redacted]."),
        ("postgres://ann:pw@db/x", "postgres://[redacted]@db/x"),
        ({"Proxy-Authorization": "x"}, {"Proxy-Authorization": "[redacted]"}),
        ([["Accept", "*/*"], ("X-Api-Key", "k")], [["Accept", "*/*"], ["X-Api-Key", "[redacted]"]]),
        (["token", 3], ["token", 3]),
        ({"name": "Cookie", "value": "a=b"}, {"name": "Cookie", "value": "[redacted]"}),
        ({"name": "city", "value": "Bonn"}, {"name": "city", "value": "Bonn"}),
        ("GET /\r\nX-API-Key: abc\r\nAccept: */*", "GET /\r\nX-API-Key: [redacted]\r\nAccept: */*"),
        ("curl -H 'Authorization: Token abc' x", "curl -H 'Authorization: [redacted]' x"),
        ("Cookie: sid=1; theme=2", "Cookie: [redacted]"),
        ("Cookie: a small cake", "Cookie: a small cake"),
        ("Cookie: sid='abc123'; theme=2", "Cookie: [redacted]"),
        ("curl -H 'Cookie: sid=1' -H 'Accept: x'", "curl -H 'Cookie: [redacted]' -H 'Accept: x'"),
        ('DB_PASSWORD="hunter 2"\nDEBUG=1', 'DB_PASSWORD="[redacted]"\nDEBUG=1'),
        ("password: 'hunter2'", "password: '[redacted]'"),
        ("export X_TOKEN='abc'; SECRET_KEY='django'", "export X_TOKEN='[redacted]'; SECRET_KEY='[redacted]'"),
        (
            'tool --api-key="abc" --token abc --token=abc',
            'tool --api-key="[redacted]" --token [redacted] --token=[redacted]',
        ),
        ('connect(password="a\\"b", port=1)', 'connect(password="[redacted]", port=1)'),
        ('{"env": "PASSWORD=\\"abc\\""} and more', '{"env": "PASSWORD=\\"[redacted]\\""} and more'),
        ("aws_secret_access_key = wJalr", "aws_secret_access_key = [redacted]"),
        ("if token == other: PASSWORD=''", "if token == other: PASSWORD=''"),
        ("a risk-free desk-job, sk-1", "a risk-free desk-job, sk-1"),
        (("x", 1.5, True, None), ["x", 1.5, True, None]),
        ({"password": "", "secret": True, "token": 123}, {"password": "", "secret": True, "token": 123}),
        ({"password": 12345, "secret": 1234.5}, {"password": 0, "secret": 0.0}),
        ({"secret": ["a", {"b": "c", "d": 5}]}, {"secret": ["[redacted]", {"b": "[redacted]", "d": 5}]}),
        (
            '{"headers": {"Set-Cookie":"sid=S","x-api-key": "K"}, "password":"hunter2", "credentials": {"id": 12345}}',
            (
                '{"headers": {"Set-Cookie":"[redacted]","x-api-key": "[redacted]"}, "password":"[redacted]", '
                '"credentials": {"id": 0}}'
            ),
        ),
        ('got {"password": "a\\"b", "id": 7}', 'got {"password": "[redacted]", "id": 7}'),
        ("got {'pwd': 'x', 'csrf_token': 'y'}", "got {'pwd': '[redacted]', 'csrf_token': '[redacted]'}"),
        ('"{\\"client_secret\\": \\"C\\"}"', '"{\\"client_secret\\": \\"[redacted]\\"}"'),
        ("https://x/?access_token=S&page=2", "https://x/?access_token=[redacted]&page=2"),
        ("/v1?page=2&api_key=S", "/v1?page=2&api_key=[redacted]"),
        ("redis://:pw@h:1/0", "redis://[redacted]@h:1/0"),
        ("export OPENAI_API_KEY=abc GITHUB_TOKEN=x", "export OPENAI_API_KEY=[redacted] GITHUB_TOKEN=[redacted]"),
        ("user: ann\npassword: hunter2", "user: ann\npassword: [redacted]"),
        ("the token: a sign", "the token: a sign"),
        ("next_page_token=abc", "next_page_token=abc"),
        (
            {"cookies": "a", "session_id": "b", "next_page_token": "c"},
            {"cookies": "[redacted]", "session_id": "[redacted]", "next_page_token": "c"},
        ),
        ({"token": "abc", "said": "it is 'abc'"}, {"token": "[redacted]", "said": "it is '[redacted]'"}),
    ],
)
def test_secrets_are_taken_out(value: Any, kept: Any) -> None:
    assert redact(value) == kept
    assert redact(redact(value)) == kept


SECRETS: list[Any] = [
    {"id": 7, "password": ""},
    {"Authorization": "Bearer abc"},
    {"token": "abc"},
    {"token": 'it\'s "quoted"\n\u00e9'},
    {"headers": {"cookie": "sid=1"}},
    {"password": 12345},
    {"secret": ["a", "b"], "credentials": {"id": 7, "type": "c"}},
    '{"password": "hunter2", "n": 12345}',
    "Authorization: Token abc\nnext",
    [["x-api-key", "abc"]],
]


@pytest.mark.parametrize("output", SECRETS)
@pytest.mark.parametrize("told", [json.dumps, str, repr, lambda out: json.dumps(json.dumps(out)), lambda out: out])
def test_what_an_unchanged_agent_makes_of_a_secret_is_reproduced(output: Any, told: Callable[[Any], Any]) -> None:
    def passing_on(question: str, llm: Callable[..., Any], tools: Callable[..., Any]) -> str:
        llm([{"role": "user", "content": question}])
        out = tools("login", {})
        text = told(out)
        tools("get", {"auth": text, "id": "user"})
        return str(llm([{"role": "user", "content": f"{question} {text}"}])["text"])

    secrets = [output, "hello"]
    recorder = Recorder(lambda _: {"text": "done", "tool_calls": []}, lambda *_: secrets.pop(0))
    capture = recorder.capture("?", passing_on("?", recorder.llm, recorder.tools))

    assert eval_capture_determinism(capture, passing_on).divergence is None


def test_a_secret_that_is_passed_on_is_not_kept() -> None:
    def passing_on(_: str, __: object, tools: Callable[..., Any]) -> str:
        out = tools("login", {})
        tools("get", {"auth": out["token"], "header": f"Token {out['token']}", "id": out["credentials"]["id"]})
        return f"logged in with {out['token']}"

    outputs = [{"token": "abc123", "credentials": {"id": 70}}, {"text": "abc123 is welcome"}]
    recorder = Recorder(lambda _: {}, lambda *_: outputs.pop(0))
    capture = recorder.capture("?", passing_on("?", recorder.llm, recorder.tools))

    assert eval_capture_determinism(capture, passing_on).divergence is None
    assert capture.steps[1].asked == ("tool", "get", '{"auth":"[redacted]","header":"Token [redacted]","id":70}')
    assert capture.steps[1].answer == {"text": "[redacted] is welcome"}
    assert capture.final_text == "logged in with [redacted]"


def test_a_text_that_the_agent_used_before_it_was_given_as_a_secret_is_its_own() -> None:
    def asking(question: str, llm: Callable[..., Any], tools: Callable[..., Any]) -> str:
        llm([{"role": "user", "content": "be brief"}])
        tools("login", {})
        return str(llm([{"role": "user", "content": question}])["text"])

    recorder = Recorder(lambda _: {"text": "!"}, lambda *_: {"secret": "user", "token": "be brief"})
    capture = recorder.capture("be brief", asking("be brief", recorder.llm, recorder.tools))

    assert capture.steps[1].answer == {"secret": "[redacted]", "token": "[redacted]"}
    assert eval_capture_determinism(capture, asking).divergence is None


def test_it_is_taken_out_where_it_is_told_as_a_secret_and_nowhere_else() -> None:
    def asking(question: str, llm: Callable[..., Any], tools: Callable[..., Any]) -> str:
        llm([{"role": "user", "content": question}])
        tools("login", {"as": question})
        return question

    recorder = Recorder(lambda _: {"text": "!"}, lambda *_: '{"token": "be brief", "hint": 3}')
    capture = recorder.capture("be brief", asking("be brief", recorder.llm, recorder.tools))

    assert capture.steps[1].answer == '{"token": "[redacted]", "hint": 3}'
    assert (capture.steps[1].asked, capture.final_text) == (("tool", "login", '{"as":"be brief"}'), "be brief")
    assert eval_capture_determinism(capture, asking).divergence is None

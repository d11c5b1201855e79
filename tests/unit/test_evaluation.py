from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_recall import _json
from pytest_recall.case_scores import CaseScores, score_raised
from pytest_recall.errors import MetricError
from pytest_recall.evaluation import (
    CaseResult,
    Evaluation,
    MemoriesDigest,
    Policy,
    Settings,
    Summary,
    groups_of,
)
from pytest_recall.metrics import JudgedRanking, Metric, parse_metric

if TYPE_CHECKING:
    from collections.abc import Mapping

METRICS = tuple(
    map(
        parse_metric,
        (
            "hit_rate@2",
            "recall@2",
            "mrr",
            "map",
            "r_precision",
            "ndcg",
            "judged@2",
            "stale_hit_rate@2",
            "resolution_accuracy",
            "negative_accuracy",
            "mean_noise",
            "latency_mean_ms",
        ),
    )
)


def scores(policy: Policy, grades: Mapping[str, float] | None, ranking: str, *stale: str) -> dict[str, float | None]:
    judged = JudgedRanking(policy.judgments(grades, stale), tuple(ranking))
    return CaseScores(METRICS, [judged], policy.undefined).of(0, 2.5)


def evaluation(*cases: CaseResult, metrics: tuple[str, ...] = ("mrr",), **policy: Any) -> Evaluation:
    return Evaluation.of(
        "notes.eval.yaml",
        "retriever",
        Settings(k=10, policy=Policy(**policy)),
        [parse_metric(metric) for metric in metrics],
        cases,
    )


def scored(id: str, value: float | None, **more: Any) -> CaseResult:
    return CaseResult(id=id, scores={"mrr": value}, **more)


@pytest.mark.parametrize("undefined", ["exclude", "zero", "error"])
def test_a_case_without_judgments_has_no_score_of_its_ranking(undefined: Any) -> None:
    policy = Policy(undefined=undefined)
    assert scores(policy, None, "xa") == scores(policy, None, "") == {"latency_mean_ms": 2.5}
    assert score_raised(METRICS, policy.judgments(None), undefined) == {"latency_mean_ms": None}
    assert not policy.judgments(None).negative


def test_a_case_without_judgments_expects_no_rank() -> None:
    assert CaseResult(id="a", relevant=None, ranking=("x",)).ranks == {}


def test_metrics_that_are_not_about_a_case_are_left_out() -> None:
    assert scores(Policy(), {"a": 1}, "xa") == {
        "hit_rate@2": 1.0,
        "recall@2": 1.0,
        "mrr": 0.5,
        "map": 0.5,
        "r_precision": 0.0,
        "ndcg": pytest.approx(0.6309, abs=5e-5),
        "judged@2": 0.5,
        "latency_mean_ms": 2.5,
    }
    assert scores(Policy(), {"a": 1}, "as", "s").keys() == {
        *scores(Policy(), {"a": 1}, "xa"),
        "stale_hit_rate@2",
        "resolution_accuracy",
    }


@pytest.mark.parametrize(("undefined", "value"), [("exclude", None), ("error", None), ("zero", 0.0), ("one", 1.0)])
def test_policy_fills_the_ranking_metrics_of_a_case_without_relevant_ids(undefined: Any, value: float | None) -> None:
    ranking = dict.fromkeys(("hit_rate@2", "recall@2", "mrr", "map", "r_precision", "ndcg"), value)
    others = {"judged@2": 0.0, "latency_mean_ms": 2.5}
    negative = {"negative_accuracy": 0.0, "mean_noise": 1.0}
    policy = Policy(undefined=undefined)
    assert scores(policy, {}, "x") == {**ranking, **others, **negative}
    # With a stale id the policy leaves the memory metrics as they are.
    assert scores(policy, {}, "s", "s") == {**ranking, **others, **negative, "stale_hit_rate@2": 1.0}
    # Judged, none of it relevant: no negative.
    assert scores(policy, {"x": 0}, "x") == {**ranking, **others, "judged@2": 1.0}


@pytest.mark.parametrize(("undefined", "value"), [("exclude", None), ("error", None), ("zero", 0.0), ("one", 1.0)])
def test_policy_fills_the_metrics_of_the_users_own(undefined: Any, value: float | None) -> None:
    own = Metric(name="own", per_case=lambda *_: 0.5, defined=lambda judgments: bool(judgments.relevant))
    judged = [JudgedRanking(Policy().judgments(grades), ("a",)) for grades in ({"a": 1.0}, {})]
    filled = CaseScores([own], judged, undefined)
    assert [filled.of(place) for place in (0, 1)] == [{"own": 0.5}, {"own": value}]


@pytest.mark.parametrize("undefined", ["exclude", "error", "zero", "one"])
def test_policy_leaves_defined_metrics_alone(undefined: Any) -> None:
    policy = Policy(undefined=undefined, relevance_threshold=2)
    assert scores(policy, {"a": 2, "b": 1}, "ba")["mrr"] == 0.5
    # Below the threshold nothing is relevant, but nDCG knows the gain.
    assert scores(policy, {"b": 1}, "b")["ndcg"] == 1.0


def test_judged_is_undefined_when_nothing_came_back_under_every_policy() -> None:
    assert scores(Policy(undefined="zero"), {"a": 1}, "")["judged@2"] is None


def test_policy_reads_grades_by_its_threshold_and_gain() -> None:
    judgments = Policy(relevance_threshold=2, gain="exponential").judgments({"a": 2, "b": 1.5}, ("s",))
    assert judgments.relevant == {"a"}
    assert judgments.gain == "exponential"
    assert judgments.stale == ("s",)


RANKING = {"hit_rate@2", "recall@2", "mrr", "map", "r_precision", "ndcg"}
ALWAYS = {"judged@2", "latency_mean_ms"}
NEGATIVE = {"negative_accuracy", "mean_noise"}


@pytest.mark.parametrize(
    ("undefined", "grades", "stale", "expected"),
    [
        ("exclude", {"a": 1}, (), ALWAYS | RANKING),
        ("exclude", {}, (), ALWAYS | NEGATIVE),
        ("exclude", {"x": 0}, ("s",), ALWAYS | {"stale_hit_rate@2"}),
        ("error", {"x": 0}, ("s",), ALWAYS | RANKING | {"stale_hit_rate@2"}),
        ("zero", {}, (), ALWAYS | RANKING | NEGATIVE),
    ],
)
def test_case_that_raised_holds_none_for_what_it_would_have_scored(
    undefined: Any, grades: dict[str, float], stale: tuple[str, ...], expected: set[str]
) -> None:
    policy = Policy(undefined=undefined)
    assert score_raised(METRICS, policy.judgments(grades, stale), undefined) == dict.fromkeys(expected)


@pytest.mark.parametrize(
    ("tags", "kind", "family", "groups"),
    [
        ((), None, None, ("untagged",)),
        (("a", "b"), None, None, ("a", "b")),
        ((), "fact", None, ("untagged", "kind=fact")),
        (("a",), "fact", "leases", ("a", "kind=fact", "family=leases")),
        ((), "", None, ("untagged", "kind=")),
    ],
)
def test_groups(tags: tuple[str, ...], kind: str | None, family: str | None, groups: tuple[str, ...]) -> None:
    assert groups_of(tags, kind, family) == groups
    assert CaseResult(id="q", tags=tags, kind=kind, family=family).groups == groups


def test_mean_is_over_the_cases_that_have_a_value() -> None:
    found = evaluation(scored("a", 1.0), scored("b", None), scored("c", 0.0), scored("d", 0.5), CaseResult(id="e"))
    assert found.metrics["mrr"] == Summary(
        value=0.5, scored=3, undefined=1, errors=0, better="higher", aggregate="mean"
    )
    assert found["mrr"] == 0.5


@pytest.mark.parametrize(
    ("cases", "undefined"), [([], 0), ([CaseResult(id="a")], 0), ([scored("a", None), scored("b", None)], 2)]
)
def test_mean_of_nothing_is_undefined(cases: list[CaseResult], undefined: int) -> None:
    assert evaluation(*cases).metrics["mrr"] == Summary(
        value=None, scored=0, undefined=undefined, errors=0, better="higher", aggregate="mean"
    )


def test_mean_is_rounded_once() -> None:
    # Added one by one, ten tenths make 0.9999999999999999.
    assert evaluation(*(scored(str(number), 0.1) for number in range(10)))["mrr"] == 0.1


def test_case_that_raised_takes_the_value_away() -> None:
    found = evaluation(scored("a", 1.0), scored("b", None, error="ValueError"), scored("c", None))
    assert found.metrics["mrr"] == Summary(
        value=None, scored=1, undefined=1, errors=1, better="higher", aggregate="mean"
    )
    assert [case.id for case in found.errors] == ["b"]


def test_case_that_raised_is_nothing_to_metrics_that_are_not_about_it() -> None:
    broken = CaseResult(id="b", scores={"negative_accuracy": None}, error="ValueError")
    found = evaluation(scored("a", 1.0), broken, metrics=("mrr", "negative_accuracy"))
    assert found["mrr"] == 1.0
    assert found["negative_accuracy"] is None


def test_better_and_aggregate_are_the_metrics() -> None:
    cases = [CaseResult(id=str(n), scores={"latency_p95_ms": float(n), "latency_max_ms": float(n)}) for n in range(20)]
    found = evaluation(*cases, metrics=("latency_p95_ms", "latency_max_ms"))
    # The nearest rank of 95 % of 20 is the 19th smallest.
    assert (found["latency_p95_ms"], found["latency_max_ms"]) == (18.0, 19.0)
    assert found.metrics["latency_p95_ms"].better == "lower"


TAGGED = evaluation(
    scored("a", 1.0, tags=("legal", "old"), kind="fact"),
    scored("b", 0.5, tags=("legal",)),
    scored("c", 0.0, kind="fact"),
    scored("d", None, tags=("old",), error="ValueError"),
)


@pytest.mark.parametrize(
    ("group", "ids", "value"),
    [
        (None, "abcd", None),
        ("legal", "ab", 0.75),
        ("old", "ad", None),
        ("kind=fact", "ac", 0.5),
        ("untagged", "c", 0.0),
        ("unknown", "", None),
    ],
)
def test_group_is_summarised_alone(group: str | None, ids: str, value: float | None) -> None:
    assert "".join(str(case.id) for case in TAGGED.of_group(group)) == ids
    assert TAGGED.summary("mrr", group).value == value


def test_value_by_metric_or_alias() -> None:
    found = evaluation(CaseResult(id="a", scores={"hit_rate@3": 1.0}), metrics=("success@3",))
    assert list(found.metrics) == ["hit_rate@3"]
    assert found["hit_rate@3"] == found["success@3"] == 1.0
    with pytest.raises(KeyError, match=r"^'hit_rate@4'$"):
        found["success@4"]
    with pytest.raises(MetricError, match=r"^unknown metric 'succes@3' \(did you mean 'success@3'\?\)$"):
        found["succes@3"]


def test_case_is_found_by_its_id() -> None:
    assert WHOLE.case("broken") is WHOLE.cases[1]
    with pytest.raises(KeyError, match=r"^'brokn'$"):
        WHOLE.case("brokn")


def test_ranks_of_expected_ids() -> None:
    case = CaseResult(id="q", relevant={"a": 1, "b": 0, "c": 2}, stale=("s", "t"), ranking=("x", "b", "s", "a"))
    assert case.ranks == {"a": 4, "b": 2, "c": None, "s": 3, "t": None}


WHOLE = Evaluation.of(
    "notes.eval.yaml",
    "search[bm25]",
    Settings(
        k=3,
        policy=Policy(gain="exponential", id_from="^(.*)#", min_score=0.25, undefined="zero"),
        memories=MemoriesDigest(count=2, sha256="a5" * 32),
    ),
    [parse_metric(metric) for metric in ("mrr", "latency_p95_ms")],
    [
        CaseResult(
            id="été",
            query="when? \u2028 \x00",
            args={"user": "alice", "tags": ["x", 1, 2.5, None], "nested": {"a": True}},
            fingerprint="0123456789abcdef",
            tags=("legal",),
            kind="fact",
            family="leases",
            relevant={"a": 2, "b": 0.1},
            stale=("s",),
            ranking=("a", "s", "\ud800"),
            scores={"mrr": 1.0, "latency_p95_ms": 1 / 3},
            latency_ms=1 / 3,
            line=7,
        ),
        CaseResult(id="broken", scores={"mrr": None, "latency_p95_ms": None}, error="ValueError: no index"),
    ],
    problem="no returned id is a memory of this suite",
    notes=("ids taken from key",),
)


@pytest.mark.parametrize("written", [WHOLE, TAGGED, evaluation()])
def test_record_reads_back_to_the_same_evaluation_through_json(written: Evaluation) -> None:
    assert Evaluation.from_record(_json.loads(_json.dumps(written.to_record()))) == written


def test_record_is_apart_from_its_evaluation() -> None:
    record = WHOLE.to_record()
    record["cases"][0]["args"]["tags"].append("more")
    assert WHOLE.cases[0].args["tags"] == ["x", 1, 2.5, None]

"""Every key a suite may hold: the loader, the JSON Schema and the table in the docs are made from these."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_recall.case_scores import Undefined
from pytest_recall.metrics import Gain
from pytest_recall.retrieval import OnDegraded
from pytest_recall.settings import Duplicates, Policy
from pytest_recall.suites.getters import mapping
from pytest_recall.suites.model import LoopScope
from pytest_recall.suites.nodes import is_missing, line_of, quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_recall.suites.nodes import Node, Pair
    from pytest_recall.suites.problems import Problems

__all__ = [
    "CASES_FILE_KEYS",
    "CASE_KEYS",
    "CLASSIFIER_CASE_KEYS",
    "FREE_PREFIX",
    "MEMORIES_FILE_KEYS",
    "MEMORY_KEYS",
    "MEMORY_LINE_KEYS",
    "QUERY_LINE_KEYS",
    "SUITE_KEYS",
    "Key",
    "Keys",
    "Kind",
]

Kind = Literal[
    "alpha",
    "amount",
    "answers",
    "anything",
    "arguments",
    "bounds",
    "cases",
    "choice",
    "count",
    "file",
    "grades",
    "labels",
    "loop",
    "marks",
    "memories",
    "metrics",
    "moment",
    "name",
    "number",
    "pattern",
    "positive",
    "text",
    "texts",
    "thresholds",
    "tolerance",
]

FREE_PREFIX = "x-"
_POLICY = Policy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key.

    Attributes:
        means: what it is, as the docs say it.
        kind: what its value must be.
        default: the value where the key is absent or null.
        otherwise: the default as the docs say it, where it depends on something else.
        choices: the words a ``choice`` may be.
        also: other names of the same field.
        required: absent is a mistake.
        retrieval: it says how results are asked for and judged, so that the suite of a classifier has no use for it.
    """

    means: str
    kind: Kind
    default: Any = None
    otherwise: str = ""
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    required: bool = False
    retrieval: bool = False


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one kind of mapping.

    Attributes:
        table: name → key.
        open: other people write it, so that other keys than these are their business.
        elsewhere: keys of another kind of suite, with what is said of them here.
        names: every name a field goes by → its own.
    """

    table: Mapping[str, Key]
    open: bool = False
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(init=False)
    _plain: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        names = {other: name for name, key in self.table.items() for other in (name, *key.also)}
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_plain", frozenset(self.table))

    def read(self, node: Node, problems: Problems) -> dict[str, Pair]:
        """The fields of a mapping, each by its own name; free keys are left out."""
        found = mapping(node, problems)
        if self.open:
            return self._pick(found)
        if found.keys() <= self._plain:
            return found
        if not self.elsewhere.keys().isdisjoint(found):
            # That a key of this kind is missing goes without saying.
            problems.settle(node)
        return self._sort_out(found, problems)

    def _pick(self, found: Mapping[str, Pair]) -> dict[str, Pair]:
        """Of several names of a field the first counts, those in `also` before its own."""
        fields = {}
        for name, key in self.table.items():
            written = next((each for each in (*key.also, name) if each in found), None)
            if written is not None:
                fields[name] = found[written]
        return fields

    def _sort_out(self, found: Mapping[str, Pair], problems: Problems) -> dict[str, Pair]:
        fields: dict[str, Pair] = {}
        written_as: dict[str, str] = {}
        for written, pair in found.items():
            name = self.names.get(written)
            if written.startswith(FREE_PREFIX):
                continue
            if written in self.elsewhere:
                problems.add(pair[0], self.elsewhere[written])
            elif name is None:
                # The rest of an unquoted text in braces, from its first comma on.
                split = " " in written and is_missing(pair[1])
                hint = "; quote a text that holds a comma" if split else problems.did_you_mean(written, self.names)
                problems.add(pair[0], f"unknown key {quote(written)}{hint}")
            elif name in fields:
                first = f"{written_as[name]!r} on line {line_of(fields[name][0])}"
                problems.add(pair[0], f"{written!r} is the same field as {first}; keep one")
            else:
                fields[name], written_as[name] = pair, written
        return fields


SUITE_KEYS = Keys(
    {
        "retriever": Key(
            means="name of the fixture that is the retriever, or the classifier",
            kind="name",
            otherwise="ini `eval_retriever`, else `retriever`; with labels `classifier`",
        ),
        "k": Key(
            means="results asked for per query",
            kind="count",
            otherwise="the larger of 10 and the largest cutoff named anywhere in the suite",
            retrieval=True,
        ),
        "metrics": Key(
            means="metrics to report",
            kind="metrics",
            otherwise="hit_rate@k, precision@k, recall@k, mrr, ndcg@k; with stale ids also stale_hit_rate@k and "
            "resolution_accuracy, with negatives also negative_accuracy, with answers also exact_match and token_f1; "
            "each only where some case defines it; with labels accuracy and macro_f1",
        ),
        "thresholds": Key(means="bounds by `METRIC` or `METRIC:TAG`", kind="thresholds", otherwise="none"),
        "each": Key(
            means="bounds for every case that defines the metric, one item a case", kind="bounds", otherwise="none"
        ),
        "max_drop": Key(
            means="how much any metric may get worse, such as 0.02 or 5%", kind="tolerance", otherwise="option, ini, 0"
        ),
        "alpha": Key(
            means="a change beyond the tolerance is excused while its p is above this",
            kind="alpha",
            otherwise="option, ini, none",
        ),
        "undefined": Key(
            means="what a case without relevant ids counts",
            kind="choice",
            default=_POLICY.undefined,
            choices=get_args(Undefined),
            retrieval=True,
        ),
        "duplicates": Key(
            means="a repeated id is an error, or its first rank counts",
            kind="choice",
            default=_POLICY.duplicates,
            choices=get_args(Duplicates),
            retrieval=True,
        ),
        "relevance_threshold": Key(
            means="smallest grade that counts as relevant",
            kind="positive",
            default=_POLICY.relevance_threshold,
            retrieval=True,
        ),
        "gain": Key(
            means="what a grade is worth to ndcg",
            kind="choice",
            default=_POLICY.gain,
            choices=get_args(Gain),
            retrieval=True,
        ),
        "min_score": Key(means="results scored below it are dropped", kind="number", otherwise="none", retrieval=True),
        "id_from": Key(means="pattern whose first group is the id", kind="pattern", otherwise="none", retrieval=True),
        "on_degraded": Key(
            means="what a response is whose status is not `success`",
            kind="choice",
            default="error",
            choices=get_args(OnDegraded),
            retrieval=True,
        ),
        "repeat": Key(means="how often each query is asked", kind="count", otherwise="option, ini, 1"),
        "warmup": Key(means="how often the first query is asked before, untimed", kind="amount", otherwise="0"),
        "timeout": Key(means="seconds a query may take", kind="positive", otherwise="option, ini, none"),
        "concurrency": Key(means="queries asked at once", kind="count", otherwise="option, ini, 1"),
        "batch": Key(means="queries handed over in one call", kind="count", otherwise="none", retrieval=True),
        "async": Key(
            means="the retriever is asynchronous: true, or the scope of its event loop, which is a module's otherwise",
            kind="loop",
            otherwise="false",
            choices=("true", "false", *get_args(LoopScope)),
        ),
        "marks": Key(means="pytest marks for all items", kind="marks", otherwise="none"),
        "memories": Key(means="the corpus", kind="memories", otherwise="the retriever's own", retrieval=True),
        "cases": Key(means="the queries", kind="cases", required=True),
        "labels": Key(
            means="labels with their aliases, which make it the suite of a classifier", kind="labels", otherwise="none"
        ),
    }
)

MEMORY_KEYS = Keys(
    {
        "id": Key(means="unique text", kind="text", also=("key", "_id"), required=True),
        "text": Key(means="what is stored", kind="text", default=""),
        "title": Key(means="its title", kind="text", default=""),
        "metadata": Key(means="anything", kind="anything", otherwise="none"),
        "valid_from": Key(means="date and time it holds from", kind="moment", otherwise="none"),
        "valid_to": Key(means="date and time it holds to", kind="moment", otherwise="none"),
        "superseded_by": Key(
            means="id of the memory that replaced it", kind="text", also=("superseded_by_key",), otherwise="none"
        ),
    }
)

CASE_KEYS = Keys(
    {
        "query": Key(means="text, not blank", kind="text", required=True),
        "id": Key(means="unique text, not blank", kind="text", otherwise="the query"),
        "relevant": Key(
            means="ids that answer the query, or id and grade; `[]` where nothing should come back",
            kind="grades",
            otherwise="none, for a case with `answers`: what comes back is not judged",
        ),
        "stale": Key(means="ids that must not come back", kind="texts", default=()),
        "tags": Key(means="groups it belongs to", kind="texts", default=()),
        "kind": Key(means="group `kind=…`", kind="text", otherwise="none"),
        "family": Key(means="group `family=…`", kind="text", otherwise="none"),
        "args": Key(means="keyword arguments for the retriever, this case only", kind="arguments", otherwise="none"),
        "expect": Key(means="bounds of this case alone, one more item", kind="bounds", otherwise="none"),
        "answers": Key(
            means="texts that would do as an answer", kind="answers", otherwise="none: what is answered is not judged"
        ),
    },
    elsewhere={
        name: f"{name} is for the suite of a classifier, which has labels: {{LABEL: [ALIAS, …], …}}"
        for name in ("input", "expected")
    },
)

_FOR_RETRIEVERS = "is for retrievers; with labels a case has input and expected"

CLASSIFIER_CASE_KEYS = Keys(
    {
        "input": Key(means="what the classifier is given, not blank", kind="text", required=True),
        "id": replace(CASE_KEYS.table["id"], otherwise="the input"),
        "expected": Key(means="the label it should get", kind="text", required=True),
        **{name: CASE_KEYS.table[name] for name in ("tags", "kind", "family")},
        "args": replace(CASE_KEYS.table["args"], means="keyword arguments for the classifier, this case only"),
        "expect": CASE_KEYS.table["expect"],
    },
    elsewhere={name: f"{name} {_FOR_RETRIEVERS}" for name in ("query", "relevant", "stale", "answers")},
)

MEMORIES_FILE_KEYS = Keys({"path": Key(means="JSON lines, a memory a line", kind="file", required=True)})

CASES_FILE_KEYS = Keys(
    {
        "path": Key(means="JSON lines, a case a line; instead of `queries` and `qrels`", kind="file"),
        "queries": Key(means="JSON lines, a query a line, as BEIR has them", kind="file"),
        "qrels": Key(means="their judgments, as BEIR, TREC or JSON", kind="file"),
    }
)

# What other people's lines hold.
MEMORY_LINE_KEYS = Keys(
    {
        **MEMORY_KEYS.table,
        "id": replace(MEMORY_KEYS.table["id"], also=("_id", "key")),
        # Whoever calls it otherwise would search empty texts.
        "text": replace(MEMORY_KEYS.table["text"], required=True),
    },
    open=True,
)

QUERY_LINE_KEYS = Keys(
    {
        "id": Key(means="unique text, not blank", kind="text", also=("_id",), required=True),
        "text": Key(means="the query, not blank", kind="text", required=True),
    },
    open=True,
)

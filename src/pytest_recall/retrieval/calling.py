"""How a retriever is called: with the query, with k where it has a place for it, with a case's own arguments."""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass, field
from inspect import Parameter
from typing import TYPE_CHECKING, Any

from pytest_recall.errors import RetrievalError, did_you_mean
from pytest_recall.retrieval.awaiting import discard, is_asynchronous

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["ANSWERER", "BATCH_METHODS", "CLASSIFIER", "K_NAMES", "METHODS", "RETRIEVER", "Caller", "Role"]

# A failing test shows the user's own lines.
__tracebackhide__ = True

METHODS = ("search", "invoke", "retrieve")
BATCH_METHODS = ("search_batch", "batch")
K_NAMES = ("k", "top_k", "topk", "limit", "n_results", "n", "size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What a callable is in a suite.

    Attributes:
        noun: what messages call it.
        question: what it is given, and the keyword that may name it.
        methods: of an object that is not callable itself.
        k_names: parameters that k goes to.
    """

    noun: str
    question: str
    methods: tuple[str, ...]
    k_names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"


RETRIEVER = Role(noun="retriever", question="query", methods=METHODS, k_names=K_NAMES)
ANSWERER = Role(noun="answerer", question="query", methods=("answer", "invoke"), k_names=K_NAMES)
CLASSIFIER = Role(noun="classifier", question="input", methods=("classify", "invoke"))

_BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A retriever, an answerer or a classifier, and the way into it.

    Attributes:
        function: what is called.
        role: which of them it is.
        query_name: keyword of the query, None when it goes first.
        k_name: keyword of k, None when there is no place for it by name.
        k_second: k goes second, by position only.
        settled: keyword → what it always holds, so that no case may set it.
        names: every keyword that a case may set, None when any is taken.
        required: keywords that a case must set.
    """

    function: Callable[..., Any]
    role: Role = RETRIEVER
    query_name: str | None = None
    k_name: str | None = None
    k_second: bool = False
    settled: Mapping[str, str] = field(default_factory=dict)
    names: frozenset[str] | None = None
    required: frozenset[str] = frozenset()

    @classmethod
    def of(cls, retriever: object, role: Role = RETRIEVER) -> Caller:
        """The way into a callable, or into an object with one of its role's methods.

        Raises:
            RetrievalError: it is neither, it has no place for a query, or it asks for more than can be given.
        """
        return cls._of(_function(retriever, role), role)

    @classmethod
    def of_batches(cls, retriever: object) -> Caller:
        """The way into an object's `search_batch` or `batch`, whose query is a list of queries.

        Raises:
            RetrievalError: it has neither, or one that asks for more than can be given.
        """
        return cls._of(_batch_function(retriever), RETRIEVER)

    @classmethod
    def _of(cls, function: Callable[..., Any], role: Role) -> Caller:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return cls(function=function, role=role, names=frozenset())
        return _from_parameters(function, parameters, role)

    def __call__(self, query: str | list[str], k: int, args: Mapping[str, Any]) -> Any:
        """What the retriever returns for a query, or for a batch of them.

        Raises:
            RetrievalError: a case argument that it does not take, or one that it needs and the case does not give.
        """
        keywords: dict[str, Any] = {}
        if args or self.required:
            self._check(args)
            # The retriever may change what it is handed; the case must stay as it is.
            keywords = copy.deepcopy(dict(args))
        if self.k_name is not None:
            keywords[self.k_name] = k
        if self.query_name is not None:
            return self.function(**keywords, **{self.query_name: query})
        return self.function(query, k, **keywords) if self.k_second else self.function(query, **keywords)

    def _check(self, args: Mapping[str, Any]) -> None:
        for name in args:
            if name in self.settled:
                raise RetrievalError(
                    f"the {self.role.noun}'s argument {name!r} is {self.settled[name]}; no case can set it"
                )
            if self.names is not None and name not in self.names:
                raise RetrievalError(f"the {self.role.noun} takes no argument {name!r}{did_you_mean(name, self.names)}")
        missing = sorted(self.required - args.keys())
        if missing:
            raise RetrievalError(
                f"the {self.role.noun} needs an argument {missing[0]!r}: "
                f"give it a default, or in a suite a value in the case's args{self._hint()}"
            )

    def _hint(self) -> str:
        """Where k would go, for it is what a retriever most often needs."""
        settled = self.k_name is not None or self.k_second or not self.role.k_names
        return "" if settled else f" (k goes to a parameter named {_listed(K_NAMES)})"


def _function(retriever: object, role: Role) -> Callable[..., Any]:
    if isinstance(retriever, type):
        raise RetrievalError(f"{role} is an instance, and this is the class {retriever.__name__} itself")
    if callable(retriever):
        return retriever
    method = _method(retriever, role.methods)
    if method is not None:
        return method
    raise RetrievalError(
        f"{role} is a callable or an object with {_listed(role.methods)}, "
        f"not {type(retriever).__name__}{_guess(retriever)}"
    )


def _guess(retriever: object) -> str:
    """What is probably wrong with it."""
    if retriever is None:
        return " (missing return?)"
    if is_asynchronous(retriever):
        discard(retriever)
        return " (an asynchronous fixture needs @pytest_asyncio.fixture, or anyio_backend among its arguments)"
    return ""


def _batch_function(retriever: object) -> Callable[..., Any]:
    method = _method(retriever, BATCH_METHODS)
    if method is not None:
        return method
    # Of `index.search` the index itself may have it.
    owner = getattr(retriever, "__self__", None)
    hint = "" if _method(owner, BATCH_METHODS) is None else f"; return the {type(owner).__name__} itself"
    raise RetrievalError(f"batch needs a retriever with {_listed(BATCH_METHODS)}, not {type(retriever).__name__}{hint}")


def _method(retriever: object, names: tuple[str, ...]) -> Callable[..., Any] | None:
    methods = (getattr(retriever, name, None) for name in names)
    return next((method for method in methods if callable(method)), None)


def _from_parameters(function: Callable[..., Any], parameters: list[Parameter], role: Role) -> Caller:
    kinds = {p.kind for p in parameters}
    positional = [p for p in parameters if p.kind in _BY_POSITION]
    named = {p.name: p for p in parameters if p.kind in _BY_NAME}
    takes_any = Parameter.VAR_KEYWORD in kinds
    query = positional[0].name if positional else role.question
    by_name = not positional and (query in named or Parameter.VAR_POSITIONAL not in kinds)
    if by_name and query not in named and not takes_any:
        raise RetrievalError(
            f"the {role.noun} has no place for the {role.question}: it goes first, or by name to {role.question!r}"
        )
    k_second = _k_second(positional, role)
    k_name = None if k_second else next((name for name in role.k_names if name in named and name != query), None)
    settled = {query: f"the {role.question}"} if by_name or query in named else {}
    if k_name is not None:
        settled[k_name] = "the suite's k"
    free = {name: p for name, p in named.items() if name not in settled}
    return Caller(
        function=function,
        role=role,
        query_name=query if by_name else None,
        k_name=k_name,
        k_second=k_second,
        settled=settled,
        names=None if takes_any else frozenset(free),
        required=frozenset(name for name, p in free.items() if p.default is Parameter.empty),
    )


def _k_second(positional: list[Parameter], role: Role) -> bool:
    """Whether k goes second, by position only.

    Raises:
        RetrievalError: by position something else must follow, which no case can give.
    """
    unnamed = [p for p in positional[1:] if p.kind is Parameter.POSITIONAL_ONLY]
    k_second = bool(unnamed) and unnamed[0].name in role.k_names
    for parameter in unnamed[k_second:]:
        if parameter.default is Parameter.empty:
            places = f"the {role.question}{' and k' if role.k_names else ''} can go"
            raise RetrievalError(f"the {role.noun} needs {parameter.name!r} by position, where only {places}")
    return k_second


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"

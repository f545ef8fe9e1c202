# SPDX-License-Identifier: Apache-2.0
"""Replaces nanobind's TypeErrors, which print signatures, by one sentence.

Messages name the core's arguments, which have the names of the package's public functions.
"""
from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, Optional

from . import _core

_WORDS = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "True or False"}
_TYPES: dict[str, tuple[type, ...]] = {"float": (int, float), "str": (str,), "bool": (bool,)}


def _parameters(message: str) -> list[tuple[str, str]]:
    signature = re.search(r"\n    1\. \w+\((.*)\) -> ", message)
    text = signature.group(1) if signature else ""
    parts, depth = [""], 0
    for letter in text:
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    pairs = [part.strip().partition(": ") for part in parts if part.strip() not in ("", "*", "/")]
    return [(name, kind.partition(" = ")[0]) for name, _, kind in pairs]


def _fits(kind: str, value: Any) -> bool:
    """True if the value has this type, or if the type is not checked here."""
    kinds = [kind] if "[" in kind else kind.split(" | ")
    if value is None:
        return "None" in kind
    if "int" in kinds:
        return hasattr(value, "__index__")
    return kinds[0] not in _TYPES or isinstance(value, _TYPES[kinds[0]])


def _sentence(message: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
    parameters = _parameters(message)
    values = {name: value for (name, _), value in zip(parameters, arguments)} | named
    simple = []
    for name, kind in parameters[parameters[:1] == [("self", "")]:]:
        word = _WORDS.get(kind.partition(" | ")[0])
        if name in values and not _fits(kind, values[name]):
            return f"{name} must be {word or kind}, not {type(values[name]).__name__}"
        if word == _WORDS["int"] and isinstance(values.get(name), int) and \
                abs(values[name]) >= 1 << 31:
            return f"{name} is out of range: {values[name]}"
        if isinstance(values.get(name), dict):  # the switches of a quantizer
            for switch, value in values[name].items():
                if not isinstance(value, (bool, int, float, str, tuple, type(None))):
                    return f"{switch} cannot be of type {type(value).__name__}"
        if name in values and word is None:
            simple.append(name)
    return f"{' or '.join(simple)} has an unsupported type" if simple else \
        message.partition("\n")[0]


def explained(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function, updated=())
    def call(*arguments: Any, **named: Any) -> Any:
        sentence: Optional[str] = None
        try:
            return function(*arguments, **named)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            first = (None,) if isinstance(function, type) else ()  # self
            sentence = _sentence(str(error), first + arguments, named)
        raise TypeError(sentence)
    return call


def explain_all() -> None:
    setattr(_core, "Quantizer", explained(_core.Quantizer))
    for owner in (_core, _core.Quantized):
        for name, function in list(vars(owner).items()):
            if type(function).__name__ in ("nb_func", "nb_method") and not name.startswith("__"):
                setattr(owner, name, explained(function))

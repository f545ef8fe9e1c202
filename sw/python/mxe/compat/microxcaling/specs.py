# SPDX-License-Identifier: Apache-2.0
"""mx_specs: microxcaling's options of formats and rounding."""
from __future__ import annotations

import argparse
import collections
import json
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

_FORWARD = ("w_elem_format", "a_elem_format")
_BACKWARD = ("w_elem_format_bp", "a_elem_format_bp", "a_elem_format_bp_ex", "a_elem_format_bp_os")
_ROUNDINGS = ("round_m", "round_weight", "round_output", "round_grad_weight", "round_grad_input",
              "round_mx_output")
_BACKWARD_ROUNDINGS = ("round_mx_input_grad_input", "round_mx_weight_grad_input",
                       "round_mx_grad_output_grad_input", "round_mx_input_grad_weight",
                       "round_mx_grad_output_grad_weight")

DEFAULTS: dict[str, Any] = {
    "scale_bits": 0,
    **dict.fromkeys(_FORWARD + _BACKWARD),
    "mx_flush_fp32_subnorms": False,
    "shared_exp_method": "max",
    "block_size": 0,
    "bfloat": 0,
    "fp": 0,
    "bfloat_subnorms": True,
    "quantize_backprop": True,
    "round": "nearest",
    **dict.fromkeys(_ROUNDINGS + _BACKWARD_ROUNDINGS, "nearest"),
    "softmax_exp2": False,
    "vec_use_exp2": False,
    "vec_use_recip": False,
    "custom_cuda": False,
}


class UnknownOption(ValueError, KeyError):
    """ValueError is MXE's, KeyError microxcaling's."""

    __str__ = Exception.__str__


class MxSpecs(collections.UserDict[str, Any]):
    """A dictionary with all of microxcaling's options; raises ValueError for others."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        _known(self.data)
        self.data = {**DEFAULTS, **self.data}

    def safe_json(self, indent: Optional[int] = None) -> str:
        """The options as JSON."""
        return json.dumps(self.data, indent=indent, default=lambda one: f"<<{type(one).__qualname__}>>")

    def __str__(self) -> str:
        return self.safe_json(indent=4)


Specs = Union[MxSpecs, Mapping[str, Any]]


def required(mx_specs: Optional[Specs]) -> Specs:
    """The specs of a function of autograd, which has no unquantized form. Raises ValueError without them."""
    if mx_specs is None:
        raise ValueError("mx_specs are missing: a function of autograd needs them")
    return mx_specs


def _known(specs: Mapping[str, Any]) -> None:
    for name in specs:
        if name not in DEFAULTS:
            raise UnknownOption(f"unknown option '{name}' of mx_specs")


def get_default_mx_specs() -> MxSpecs:
    """Options that quantize nothing."""
    return MxSpecs()


def mx_assert_test(mx_specs: Optional[Specs]) -> None:
    """Raises ValueError for None if the environment variable MX_ASSERT is True."""
    if mx_specs is None and os.environ.get("MX_ASSERT") == "True":
        raise ValueError("mx_specs are None, but MX_ASSERT is set")


def applied(mx_specs: Optional[Specs]) -> Optional[MxSpecs]:
    """All options, or None; see mx_assert_test()."""
    mx_assert_test(mx_specs)
    return None if mx_specs is None else apply_mx_specs(mx_specs)


def apply_mx_specs(mx_specs: Optional[Specs],
                   default_mx_specs: Optional[Specs] = None) -> MxSpecs:
    """All options: those in mx_specs that are not None, else the defaults."""
    given = {name: value for name, value in (mx_specs or {}).items() if value is not None}
    _known(given)
    return MxSpecs({**(default_mx_specs or DEFAULTS), **given})


def get_backwards_mx_specs(specs: Specs) -> MxSpecs:
    """Options of the backward pass: no quantizing if quantize_backprop is False."""
    if specs["quantize_backprop"]:
        return MxSpecs(specs)
    return MxSpecs({**specs, **dict.fromkeys(_FORWARD + _BACKWARD), "block_size": 0, "bfloat": 0,
                    "fp": 0})


def finalize_mx_specs(specs: Mapping[str, Any], early_exit: bool = True) -> Optional[MxSpecs]:
    """All options; None without a format, if early_exit. Backward formats default to forward ones, roundings
    to `round`, the backward pass's round_mx_* to `round_grad_input`."""
    said = dict(specs)
    if early_exit and not any(said.get(name) for name in (*_FORWARD, *_BACKWARD, "bfloat", "fp")):
        return None
    sources = {"w_elem_format_bp": "w_elem_format",
               **dict.fromkeys(_BACKWARD[1:], "a_elem_format"),
               **dict.fromkeys(_ROUNDINGS, "round"),
               **dict.fromkeys(_BACKWARD_ROUNDINGS, "round_grad_input")}
    for name, source in sources.items():
        if said.get(name) is None and source in said:
            said[name] = said[source]
    return apply_mx_specs(said)


def add_mx_args(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Adds an argument for every option; --no_NAME turns off an option that is on by default."""
    group = parser.add_argument_group("mx")
    group.add_argument("--mx_dir", default=None, help="ignored")
    for name, value in DEFAULTS.items():
        if value is True:
            group.add_argument(f"--no_{name}", action="store_true")
        elif value is False:
            group.add_argument(f"--{name}", action="store_true")
        else:
            group.add_argument(f"--{name}", type=str if value is None else type(value),
                               default=None)
    group.add_argument("--skip_early_exit", action="store_true")
    return parser


def get_mx_specs(parsed_args: argparse.Namespace) -> Optional[MxSpecs]:
    said: dict[str, Any] = {}
    for name, value in DEFAULTS.items():
        if value is True and hasattr(parsed_args, f"no_{name}"):
            said[name] = not getattr(parsed_args, f"no_{name}")
        elif hasattr(parsed_args, name):
            said[name] = getattr(parsed_args, name)
    return finalize_mx_specs(said, not getattr(parsed_args, "skip_early_exit", False))

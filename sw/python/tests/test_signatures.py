# SPDX-License-Identifier: Apache-2.0
"""The functions and classes of mxe.compat have the parameters of pychop's, torchmx's and microxcaling's, where these
are installed: names, kinds and whether there is a default. test_torchao_layers.py and test_quark_onnx.py compare
torchao and Quark."""
import importlib
import inspect
import pkgutil

import pytest

PEERS = {"pychop": "pychop", "torchmx": "torchmx", "microxcaling": "mx"}

#: Parameters that MXE has and the peer has not, by the name of the callable.
MORE = {"MXTensor_": {"backend"}}  # pychop's own classes take it in pychop.mx_formats only


def parameters(callable):
    """(name, kind, has a default); collecting parameters such as **kwargs have no name for the caller."""
    collecting = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [("" if one.kind in collecting else one.name, one.kind, one.default is not one.empty)
            for one in inspect.signature(callable).parameters.values()]


def modules(peer):
    """Pairs of modules of the same name, without private ones."""
    ours = importlib.import_module(f"mxe.compat.{peer}")
    names = [""] + [one.name.removeprefix(ours.__name__) for one in pkgutil.walk_packages(ours.__path__,
                                                                                         ours.__name__ + ".")]
    for name in names:
        if any(part.startswith("_") for part in name.split(".")[1:]):
            continue
        try:
            theirs = importlib.import_module(PEERS[peer] + name)
        except (ImportError, OSError):  # a module of MXE alone, or a framework or CUDA is not installed
            continue
        yield importlib.import_module(ours.__name__ + name), theirs


def pairs(ours, theirs):
    """Callables of both modules, and methods of both classes; backward() is called by torch alone."""
    for name, mine in vars(ours).items():
        if name.startswith("_") or not callable(mine) or not hasattr(theirs, name):
            continue
        if not getattr(mine, "__module__", "").startswith("mxe"):
            continue
        its = getattr(theirs, name)
        yield name, mine, its
        for method in vars(mine) if isinstance(mine, type) else ():
            own = not method.startswith("_") and method != "backward" and callable(getattr(mine, method))
            if own and hasattr(its, method):
                yield f"{name}.{method}", getattr(mine, method), getattr(its, method)


@pytest.mark.parametrize("peer,least", [("pychop", 20), ("torchmx", 60), ("microxcaling", 200)])
def test_parameters(peer, least):
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip(PEERS[peer], reason=f"{peer} is not installed: signatures are not compared",
                        exc_type=ImportError)
    compared, differ = 0, []
    for ours, theirs in modules(peer):
        for name, mine, its in pairs(ours, theirs):
            try:
                expected = parameters(its)
            except (TypeError, ValueError):  # classes of C have no signature
                continue
            found = [one for one in parameters(mine) if one[0] not in MORE.get(name, ())]
            compared += 1
            if found != expected:
                differ.append(f"{ours.__name__}.{name}: {found}, {peer} has {expected}")
    assert not differ, "\n".join(differ)
    assert compared >= least

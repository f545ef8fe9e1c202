# SPDX-License-Identifier: Apache-2.0
"""Results of torchmx or mxe.compat.torchmx (first argument), for test_torchmx.py: torchmx needs an older torchao."""
import importlib
import sys

import torch


def computed(package):
    MXTensor = importlib.import_module(package + ".mx_tensor").MXTensor
    dtypes = importlib.import_module(package + ".dtypes")
    config = importlib.import_module(package + ".config")
    layers = importlib.import_module(package + (".layers.mx_linear" if package == "torchmx"
                                                else ".layers"))
    random = torch.Generator().manual_seed(3)

    def numbers(*shape):
        x = torch.randn(*shape, generator=random) * torch.exp2(
            torch.randint(-20, 20, shape, generator=random))
        return x.to(torch.bfloat16)

    found = {}
    for dtype in dtypes.SUPPORTED_ELEM_DTYPES:
        for shape in ((8, 96), (2, 3, 40), (70,)):
            q = MXTensor.to_mx(numbers(*shape), dtype)
            for kind in (torch.bfloat16, torch.float32):
                found[f"{dtype.name} {shape} {kind}"] = q.to_dtype(kind)
            found[f"{dtype.name} {shape} scales"] = q._scale_e8m0
        found[f"{dtype.name} blocks of 16"] = MXTensor.to_mx(numbers(4, 64), dtype, 16).to_dtype(
            torch.bfloat16)
        a, b = (MXTensor.to_mx(torch.randn(*shape, generator=random).bfloat16(), dtype)
                for shape in ((32, 64), (64, 96)))
        found[f"{dtype.name} matmul"] = torch.matmul(a, b)
        found[f"{dtype.name} matmul of t"] = torch.mm(a, MXTensor.to_mx(
            torch.randn(5, 64, generator=random).bfloat16(), dtype).t())
        q, k, v = (MXTensor.to_mx(torch.randn(2, 3, 32, 64, generator=random).bfloat16(), dtype)
                   for _ in range(3))
        scores = torch.matmul(q, k.transpose(2, 3))
        found[f"{dtype.name} scores"] = scores
        found[f"{dtype.name} attention"] = torch.matmul(
            MXTensor.to_mx(scores.softmax(-1), dtype), v)
        one = config.MXConfig(dtype.name)
        linear = torch.nn.Linear(96, 32, bias=dtype.name != "int8").bfloat16()
        with torch.no_grad():
            linear.weight.copy_(torch.randn(32, 96, generator=random))
            if linear.bias is not None:
                linear.bias.copy_(torch.randn(32, generator=random))
        layer = layers.MXInferenceLinear.from_float(
            linear, config.QLinearConfig(weights_config=config.MXConfig("float6_e3m2"),
                                         activations_config=one))
        for shape in ((16, 96), (2, 7, 96)):
            found[f"{dtype.name} linear {shape}"] = layer(
                torch.randn(*shape, generator=random).bfloat16())
    return {name: tensor.contiguous() for name, tensor in found.items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.save(computed(sys.argv[1]), sys.argv[2])

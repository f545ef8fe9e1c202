#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the matrix products of well-known networks as workloads of `mxe explore`.

    make.py [--check]     # compares with the existing files instead

A row is activations [M, K] times B [K, N], `count` times in a run. B is weights, keys or values that
stay in memory from token to token (kv_cache), or activations.
Convolutions are products of unrolled inputs: a row for each output pixel, K over filter and channels.
"""
import argparse
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent

KEYS, ACTIVATIONS = "kv_cache", "activations"


def convolution(name, size, channels, filters, width, stride):
    """The product of a convolution with padding `same`, and its output's height and width."""
    pixels = math.ceil(size / stride)
    return (name, pixels ** 2, filters, channels * width ** 2, 1), pixels


def resnet50(batch):
    first, size = convolution("conv1", 224, 3, 64, 7, 2)
    rows, size, channels = [first], math.ceil(size / 2), 64  # a pooling of stride 2 follows
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 1):
        for block in range(blocks):
            name = f"layer{stage}.{block}."
            stride = 2 if block == 0 and stage > 1 else 1
            rows.append(convolution(name + "conv1", size, channels, width, 1, 1)[0])
            middle, smaller = convolution(name + "conv2", size, width, width, 3, stride)
            rows.append(middle)
            rows.append(convolution(name + "conv3", smaller, width, 4 * width, 1, 1)[0])
            if block == 0:
                rows.append(convolution(name + "downsample", size, channels, 4 * width, 1,
                                        stride)[0])
            size, channels = smaller, 4 * width
    rows.append(("fc", 1, 1000, channels, 1))
    return [(name, m * batch, n, k, count) for name, m, n, k, count in rows]


def mobilenet_v2():
    first, size = convolution("conv0", 224, 3, 32, 3, 2)
    rows, channels, number = [first], 32, 0
    for expansion, filters, blocks, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                               (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                               (6, 320, 1, 1)):
        for block in range(blocks):
            name, hidden = f"b{number}.", expansion * channels
            if expansion > 1:
                rows.append(convolution(name + "expand", size, channels, hidden, 1, 1)[0])
            size = math.ceil(size / (stride if block == 0 else 1))
            rows.append((name + "depthwise", size ** 2, 1, 9, hidden))
            rows.append(convolution(name + "project", size, hidden, filters, 1, 1)[0])
            channels, number = filters, number + 1
    return rows + [("conv_last", size ** 2, 1280, channels, 1), ("classifier", 1, 1000, 1280, 1)]


def encoder(layers, width, heads, tokens, past=None, batch=1, attended=ACTIVATIONS):
    """Transformer blocks with heads of 64; the hidden layer is four times as wide."""
    keys, rows = past or tokens, tokens * batch
    return [("qkv_proj", rows, 3 * width, width, layers),
            ("attn_scores", tokens, keys, 64, layers * heads * batch, attended),
            ("attn_context", tokens, 64, keys, layers * heads * batch, attended),
            ("out_proj", rows, width, width, layers),
            ("ffn_up", rows, 4 * width, width, layers),
            ("ffn_down", rows, width, 4 * width, layers)]


def gpt2(layers, width, heads, tokens, past):
    """The keys and values of earlier tokens stay in memory."""
    return encoder(layers, width, heads, tokens, past, attended=KEYS) + [
        ("lm_head", 1, 50257, width, 1)]


def llama3(layers, width, heads, hidden, tokens, past, batch=1):
    """`heads` query heads of 128, 8 heads of keys and values; query heads that share one are one product."""
    groups, rows = 8, tokens * batch
    shared = heads // groups * tokens
    return [("q_proj", rows, heads * 128, width, layers),
            ("kv_proj", rows, 2 * groups * 128, width, layers),
            ("attn_scores", shared, past, 128, layers * groups * batch, KEYS),
            ("attn_context", shared, 128, past, layers * groups * batch, KEYS),
            ("out_proj", rows, width, heads * 128, layers),
            ("gate_up_proj", rows, 2 * hidden, width, layers),
            ("down_proj", rows, width, hidden, layers),
            ("lm_head", batch, 128256, width, 1)]


def perceptron(name, widths, batch, first=0):
    return [(f"{name}{i}", batch, n, k, 1) for i, (k, n) in enumerate(zip(widths, widths[1:]), first)]


RESNET = ("He et al., 'Deep Residual Learning', table 1; the stride of a stage in its 3 x 3 "
          "convolution, as torchvision has it (v1.5)")
BERT = "Devlin et al., 'BERT', section 3"
GPT2 = "Radford et al., 'Language Models are Unsupervised Multitask Learners', table 2; 50257 tokens"
VIT = "Dosovitskiy et al., 'An Image is Worth 16x16 Words', table 1; 196 patches and a class token"
LLAMA = "config.json of Meta-Llama-3-{}: {} layers of {}, {} heads of 128, 8 of keys and values, {} hidden"
LLAMA_8B = LLAMA.format("8B", 32, 4096, 32, 14336)
LLAMA_70B = LLAMA.format("70B", 80, 8192, 64, 28672)
EIGHT, SEVENTY = (32, 4096, 32, 14336), (80, 8192, 64, 28672)

NETWORKS = {
    "resnet50_b1": (RESNET, "1 images", resnet50(1)),
    "resnet50_b32": (RESNET, "32 images", resnet50(32)),
    "mobilenetv2_b1": ("Sandler et al., 'MobileNetV2', table 2; a depthwise convolution is a product "
                       "for each channel", "1 images", mobilenet_v2()),
    "alexnet_b1": ("Krizhevsky, 'One weird trick', as torchvision has it", "1 images", [
        ("conv1", 55 ** 2, 64, 363, 1), ("conv2", 27 ** 2, 192, 1600, 1),
        ("conv3", 13 ** 2, 384, 1728, 1), ("conv4", 13 ** 2, 256, 3456, 1),
        ("conv5", 13 ** 2, 256, 2304, 1), ("fc6", 1, 4096, 9216, 1), ("fc7", 1, 4096, 4096, 1),
        ("fc8", 1, 1000, 4096, 1)]),
    "vit_b16_b1": (VIT, "1 images", [("patch_embed", 196, 768, 768, 1), *encoder(12, 768, 12, 197),
                                     ("head", 1, 1000, 768, 1)]),
    "vit_l16_b1": (VIT, "1 images", [("patch_embed", 196, 1024, 768, 1),
                                     *encoder(24, 1024, 16, 197), ("head", 1, 1000, 1024, 1)]),
    "bert_base_s128_b1": (BERT, "128 tokens", encoder(12, 768, 12, 128) + [
        ("pooler", 1, 768, 768, 1)]),
    "bert_base_s384_b1": (BERT, "384 tokens", encoder(12, 768, 12, 384) + [
        ("pooler", 1, 768, 768, 1)]),
    "bert_base_s384_b8": (BERT, "3072 tokens", encoder(12, 768, 12, 384, batch=8) + [
        ("pooler", 8, 768, 768, 1)]),
    "bert_large_s384_b1": (BERT + "; the length of MLPerf Inference", "384 tokens",
                           encoder(24, 1024, 16, 384) + [("qa_outputs", 384, 2, 1024, 1)]),
    "gpt2_prefill_s1024": (GPT2, "1024 tokens", gpt2(12, 768, 12, 1024, 1024)),
    "gpt2_decode_kv1024": (GPT2, "1 tokens", gpt2(12, 768, 12, 1, 1024)),
    "gpt2xl_prefill_s1024": (GPT2, "1024 tokens", gpt2(48, 1600, 25, 1024, 1024)),
    **{f"llama3_8b_prefill_s{s}": (LLAMA_8B, f"{s} tokens", llama3(*EIGHT, s, s))
       for s in (512, 2048, 8192)},
    **{f"llama3_8b_decode_b{b}_kv{kv}": (LLAMA_8B, f"{b} tokens", llama3(*EIGHT, 1, kv, b))
       for b, kv in ((1, 2048), (1, 8192), (16, 2048), (64, 2048))},
    "llama3_70b_prefill_s2048": (LLAMA_70B, "2048 tokens", llama3(*SEVENTY, 2048, 2048)),
    "llama3_70b_decode_b16_kv2048": (LLAMA_70B, "16 tokens", llama3(*SEVENTY, 1, 2048, 16)),
    "digits": ("the classifier of mxe demo, all its images at once (sw/mxe/data/digits)", "450 images",
               perceptron("dense", (64, 100, 50, 10), 450, 1)),
    "dlrm_b2048": ("MLPerf's DLRM for Criteo's terabyte: 13-512-256-128, 26 features of 128, "
                   "479-1024-1024-512-256-1", "2048 samples",
                   perceptron("bot", (13, 512, 256, 128), 2048) + [
                       ("interaction", 27, 27, 128, 2048, ACTIVATIONS)] +
                   perceptron("top", (479, 1024, 1024, 512, 256, 1), 2048)),
}


def text_of(source, items, rows):
    lines = [f"# {source}", f"# items: {items}", "layer,M,N,K,count,B"]
    rows = [row if len(row) == 6 else (*row, "weights") for row in rows]
    return "\n".join(lines + [",".join(map(str, row)) for row in rows]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if files differ")
    check = parser.parse_args().check
    different = [path.name for path in HERE.glob("*.csv") if path.stem not in NETWORKS]
    for name, network in NETWORKS.items():
        path, text = HERE / f"{name}.csv", text_of(*network)
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            different.append(path.name)
    if different:
        print("not what make.py writes:", *different)
        sys.exit(1)


if __name__ == "__main__":
    main()

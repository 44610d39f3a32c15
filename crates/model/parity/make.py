"""Makes small random checkpoints, and writes down what transformers answers with them.

    pip install -r requirements.txt
    python make.py            # writes fixtures/checkpoints/parity

The test `parity` of this crate gives the same inputs to the same checkpoints and compares the answers. The numbers of the
checkpoints come from a seed, so a second run writes the same files, as long as the versions are the same.
"""

import json
import pathlib
import shutil

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoTokenizer,
    GenerationConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForSequenceClassification,
    RobertaModel,
    RobertaTokenizer,
    T5Config,
    T5EncoderModel,
    T5ForConditionalGeneration,
    T5ForSequenceClassification,
)

ROOT = pathlib.Path(__file__).resolve().parents[3] / "fixtures" / "checkpoints" / "parity"
LIMIT = 64
VOCABULARY = 284

JAVA = """public static int largest(int[] numbers) {
    int best = numbers[0];
    for (int i = 1; i < numbers.length; i++) {
        if (numbers[i] > best) {
            best = numbers[i];
        }
    }
    return best;
}
"""
C = "int length(const char *s)\n{\n\tint n = 0;\n\twhile (s[n] != '\\0')\n\t\tn++;\n\treturn n;\n}\n"
CPP = """template <typename T> T sum(const std::vector<T> &all) {
  T result{};
  for (const auto &one : all) result += one; // every one
  return result;
}
"""
PYTHON = """def words(text):
    \"\"\"The words of a text.\"\"\"
    return [word for word in text.split(" ") if word]
"""
JAVASCRIPT = "const twice = (f) => (x) => f(f(x));\nconsole.log(`${twice((n) => n * 2)(10)}`, 1e-3, /a+/g);\n"

PROGRAMS = [
    ("java", "java", JAVA),
    ("c", "c", C),
    ("cpp", "cpp", CPP),
    ("python", "python", PYTHON),
    ("javascript", "javascript", JAVASCRIPT),
    ("short", "python", "x = 1"),
    ("much too long", "java", JAVA * 12),
    ("one long word", "c", "a" * 1000),
    ("empty", "c", ""),
    ("only blanks", "python", "   \n\t \r\n  \n"),
    ("emoji", "python", "print('\U0001f600 \U0001f469\u200d\U0001f4bb \U0001d4ea \u2764\ufe0f')"),
    ("combining marks", "java", 'String s = "e\u0301 a\u0308 n\u0303 \u1e9b\u0323";'),
    ("right to left", "javascript", "let \u05e9\u05dc\u05d5\u05dd = '\u0645\u0631\u062d\u0628\u0627'; // \u202eabc\u202c"),
    ("control characters", "c", "a\x00b\x01\x1b[0m\x7f\x85c"),
    ("byte order mark", "cpp", "\ufeffint x;"),
    ("unusual blanks", "python", "x\u00a0=\u20031\u2028y\u3000=\u200b2\x0b\x0c"),
    ("special tokens", "java", "f(</s>, <mask>, <pad>, <s>, <unk>); // </s></s> x<mask>y  <mask>"),
    ("added tokens", "java", "return <extra_id_0>; // <extra_id_1> <extra_id_2>"),
    ("padding inside", "c", "int <pad> = <pad><pad>;"),
    ("blank at the ends", "python", "  x  "),
    ("Chinese", "python", "\u53d8\u91cf = \u51fd\u6570(\u53c2\u6570)"),
]

PAIRS = [
    ("java", "cpp"),
    ("short", "much too long"),
    ("much too long", "short"),
    ("much too long", "one long word"),
    ("one long word", "much too long"),
    ("empty", "empty"),
    ("empty", "much too long"),
    ("only blanks", "c"),
    ("special tokens", "emoji"),
    ("java", "java"),
]

MASKED = [
    ("two", "java", "int <mask> = <mask>;"),
    ("no blank before", "python", "def<mask>(x):"),
    ("several blanks before", "python", "return   <mask>"),
    ("in a long text", "c", "<mask> " + C * 20),
]

TRAINING = [JAVA, C, CPP, PYTHON, JAVASCRIPT, "return result; int value = 0; for (int i = 0; i < n; i++) self.value = None"]


def main():
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir(parents=True)
    inputs = {
        "programs": [{"name": name, "language": language, "text": text} for name, language, text in PROGRAMS],
        "pairs": PAIRS,
        "masked": [{"name": name, "language": language, "text": text} for name, language, text in MASKED],
    }
    # In ASCII, so that no editor changes what the characters are.
    (ROOT / "inputs.json").write_text(json.dumps(inputs, indent=1) + "\n")
    roberta()
    t5()


def roberta():
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    config = {
        "vocab_size": VOCABULARY,
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 20,
        "max_position_embeddings": LIMIT + 2,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "initializer_range": 0.3,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
    }

    def classes(name, labels, is_torch, files, texts, settings=None):
        model = RobertaForSequenceClassification(RobertaConfig(num_labels=labels, **config))
        folder = save(name, model, is_torch, settings)
        files(folder, special)
        model, tokenizer = load(RobertaForSequenceClassification, folder)
        # As lists: by itself, an empty second text counts as none.
        tokens = [tokenizer(*[[part] for part in text], truncation=True, return_tensors="pt") for text in texts]
        answers = [probabilities(model(**one).logits[0]) for one in tokens]
        write(folder, {"classes": answers, "tokens": [one.input_ids[0].tolist() for one in tokens]})

    one, two = [(text,) for _, _, text in PROGRAMS], pairs()
    classes("roberta-one", 1, False, whole_tokenizer, one)
    classes("roberta-two", 2, True, tokenizer_parts, one)
    classes("roberta-five", 5, False, whole_tokenizer, one)
    classes("roberta-pair", 2, False, whole_tokenizer, two, 'input = "pair"\n')
    classes("roberta-pair-parts", 3, True, tokenizer_parts, two, 'input = "pair"\n')

    folder = save("roberta-masked", RobertaForMaskedLM(RobertaConfig(**config)), False)
    whole_tokenizer(folder, special)
    model, tokenizer = load(RobertaForMaskedLM, folder)
    answers = []
    for text in [text for _, _, text in MASKED]:
        tokens = tokenizer(text, truncation=True, return_tensors="pt")
        masks = (tokens.input_ids[0] == tokenizer.mask_token_id).nonzero().flatten().tolist()
        scores = model(**tokens).logits[0].softmax(-1)
        best = [scores[mask].topk(5) for mask in masks]
        answers.append([
            [[token, tokenizer.convert_ids_to_tokens(token), short(score)] for score, token in zip(*map(torch.Tensor.tolist, top))]
            for top in best
        ])
    write(folder, {"masked": answers, "masked_tokens": [tokenizer(text, truncation=True).input_ids for _, _, text in MASKED]})

    folder = save("roberta-embedding", RobertaModel(RobertaConfig(**config)), True)
    whole_tokenizer(folder, special)
    model, tokenizer = load(RobertaModel, folder)
    outputs = [model(**tokenizer(*text, truncation=True, return_tensors="pt")) for text in one]
    for pooling in ["first", "mean", "pooler"]:
        (folder / f"{pooling}.toml").write_text(f'head = "embedding"\npooling = "{pooling}"\n')
    write(folder, {
        "first": [numbers(output.last_hidden_state[0, 0]) for output in outputs],
        "mean": [numbers(output.last_hidden_state[0].mean(0)) for output in outputs],
        "pooler": [numbers(output.pooler_output[0]) for output in outputs],
    })


def t5():
    special = ["<pad>", "<s>", "</s>", "<unk>", "<mask>", "<extra_id_0>"]
    config = {
        "vocab_size": VOCABULARY,
        "d_model": 16,
        "d_kv": 5,
        "d_ff": 16,
        "num_layers": 2,
        "num_heads": 4,
        "relative_attention_num_buckets": 16,
        "relative_attention_max_distance": 40,
        "pad_token_id": 0,
        "eos_token_id": 2,
        "decoder_start_token_id": 0,
    }
    texts = [text for _, _, text in PROGRAMS]

    folder = save("t5-encoder", T5EncoderModel(T5Config(**config)), True)
    whole_tokenizer(folder, special)
    model, tokenizer = load(T5EncoderModel, folder)
    outputs = [model(**tokenizer(text, truncation=True, return_tensors="pt")) for text in texts]
    for pooling in ["first", "mean"]:
        (folder / f"{pooling}.toml").write_text(f'pooling = "{pooling}"\n')
    write(folder, {
        "first": [numbers(output.last_hidden_state[0, 0]) for output in outputs],
        "mean": [numbers(output.last_hidden_state[0].mean(0)) for output in outputs],
    })

    for name, feed, is_tied, is_torch, files in [
        ("t5-relu-tied", "relu", True, False, ended_tokenizer),
        ("t5-relu-untied", "relu", False, True, ended_tokenizer),
        ("t5-gated-tied", "gated-gelu", True, True, whole_tokenizer),
        ("t5-gated-untied", "gated-gelu", False, False, tokenizer_parts),
    ]:
        model = T5ForConditionalGeneration(T5Config(feed_forward_proj=feed, tie_word_embeddings=is_tied, **config))
        if not is_tied:
            model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight) * 0.5)
        folder = save(name, model, is_torch, end=4)
        files(folder, special)
        # The file of this version says that the two are tied, also where they are not; older versions say what this one reads as
        # "not scaled".
        stated = json.loads((folder / "config.json").read_text())
        if not is_tied and name.startswith("t5-gated"):
            stated.pop("scale_decoder_outputs", None)
            stated["tie_word_embeddings"] = False
            (folder / "config.json").write_text(json.dumps(stated, indent=2) + "\n")
        GenerationConfig(
            decoder_start_token_id=0, pad_token_id=0, eos_token_id=2, max_new_tokens=12, num_beams=4, early_stopping=is_tied
        ).save_pretrained(folder)
        model, tokenizer = load(T5ForConditionalGeneration, folder)
        assert (model.lm_head.weight is model.shared.weight) == is_tied
        assert model.config.scale_decoder_outputs == is_tied, name
        kinds = {
            "as-stated": ("", {}),
            "greedy": ("[generation]\nbeams = 1\nmax-length = 20\n", {"num_beams": 1, "max_length": 20, "max_new_tokens": None}),
            "long": (
                "[generation]\nbeams = 3\nlength-penalty = 2.0\nmax-length = 30\n",
                {"num_beams": 3, "length_penalty": 2.0, "max_length": 30, "max_new_tokens": None},
            ),
            "short": ("[generation]\nlength-penalty = -1.0\n", {"length_penalty": -1.0}),
        }
        answers = {}
        for kind, (settings, arguments) in kinds.items():
            if settings:
                (folder / f"{kind}.toml").write_text(settings)
            answers[kind] = []
            for text in texts:
                tokens = tokenizer(text, truncation=True, return_tensors="pt")
                answers[kind].append(model.generate(**tokens, **arguments)[0].tolist())
            ended = sum(answer[-1] == 2 for answer in answers[kind])
            different = len({tuple(answer) for answer in answers[kind]})
            print(f"  {kind}: {ended} of {len(texts)} ended, {different} different")
        decoded = {kind: [tokenizer.decode(ids, skip_special_tokens=True) for ids in all_ids] for kind, all_ids in answers.items()}
        write(folder, {"texts": decoded, "tokens": [tokenizer(text, truncation=True).input_ids for text in texts]})

    folder = save("t5-classes", T5ForSequenceClassification(T5Config(num_labels=3, feed_forward_proj="gated-gelu", **config)), False)
    tokenizer_parts(folder, special)
    model, tokenizer = load(T5ForSequenceClassification, folder)
    outputs = [model(**tokenizer(text, truncation=True, return_tensors="pt")).logits[0] for text in texts]
    write(folder, {"classes": [probabilities(output) for output in outputs]})


def pairs():
    texts = {name: text for name, _, text in PROGRAMS}
    return [(texts[one], texts[other]) for one, other in PAIRS]


def save(name, model, is_torch, settings=None, end=None):
    """Gives the model numbers from a seed, so that no weight, bias or norm is what it is at first, and saves it."""
    folder = ROOT / name
    folder.mkdir()
    generator = torch.Generator().manual_seed(sum(name.encode()))
    with torch.no_grad():
        for _, weights in sorted(model.named_parameters()):
            scale = 0.1 if weights.dim() == 1 else 0.25
            weights += scale * torch.randn(weights.shape, generator=generator)
        if end is not None:
            # A loud end token, so that some texts end and some do not.
            model.lm_head.weight[2] *= end
    model.save_pretrained(folder)
    if is_torch:
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    if settings is not None:
        (folder / "allotrope.toml").write_text(settings)
    print(name)
    return folder


def load(kind, folder):
    model = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    return model, AutoTokenizer.from_pretrained(folder)


def trained(special, size=VOCABULARY):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TRAINING, trainer)
    return tokenizer


MASK = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "normalized": False, "rstrip": False, "single_word": False}


def tokenizer_parts(folder, special):
    """The vocabulary as vocab.json and merges.txt, for T5 with one more token in added_tokens.json."""
    more = [token for token in special if token.startswith("<extra")]
    trained(special, VOCABULARY - len(more)).model.save(str(folder))
    if more:
        more.append("<extra_id_1>")
        (folder / "added_tokens.json").write_text(json.dumps({more[-1]: VOCABULARY - 1}) + "\n")
    stated = {"tokenizer_class": "RobertaTokenizer", "model_max_length": LIMIT, "mask_token": MASK}
    stated["additional_special_tokens"] = more
    (folder / "tokenizer_config.json").write_text(json.dumps(stated, indent=1) + "\n")


def whole_tokenizer(folder, special):
    """The vocabulary as tokenizer.json, with what RoBERTa puts around texts."""
    tokenizer_parts(folder, special)
    RobertaTokenizer.from_pretrained(folder).save_pretrained(folder)
    for name in ["vocab.json", "merges.txt", "added_tokens.json"]:
        (folder / name).unlink(missing_ok=True)


def ended_tokenizer(folder, special):
    """The vocabulary as tokenizer.json, with only an end behind every text, as T5 has it."""
    tokenizer = trained(special)
    end = tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", end)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="</s>", pad_token="<pad>", unk_token="<unk>", model_max_length=LIMIT
    ).save_pretrained(folder)


def probabilities(scores):
    if len(scores) == 1:
        scores = torch.cat([torch.zeros(1), scores])
    return numbers(scores.softmax(-1))


def numbers(tensor):
    return [short(number) for number in tensor.tolist()]


def short(number):
    return float(f"{number:.7g}")


def write(folder, answers):
    (folder / "expected.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    with torch.no_grad():
        main()

"""Starts a real OpenAI-compatible server, made by others, with a model that is small enough to be made here.

    python serve.py transformers FOLDER PORT     transformers' own server, which gives no log probabilities
    python serve.py llama.cpp FOLDER PORT        llama.cpp's server (from the wheel xllamacpp), which does

The model is a Llama of two layers over single bytes. It is trained for some seconds to answer every question with `yes`
or, less often, `no`, so that its answers are legal and their probabilities worth a look. It is written to FOLDER once.
"""

import os
import pathlib
import sys
import time

END, SYSTEM, USER, ASSISTANT = "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"
SPECIAL = [END, SYSTEM, USER, ASSISTANT]
CHAT = "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}{% endfor %}<|assistant|>"
LAYERS, HEADS, WIDTH, INNER, CONTEXT = 2, 2, 64, 128, 4096
STEPS = 150


def main():
    kind, folder, port = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    if not (folder / "ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        tokenizer, model = make()
        tokenizer.save_pretrained(folder)
        model.save_pretrained(folder)
        write_gguf(folder / "model.gguf", tokenizer, model)
        (folder / "ready").touch()
    if kind == "transformers":
        start = "from transformers.cli.transformers import main; main()"
        arguments = ["serve", str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
        os.execv(sys.executable, [sys.executable, "-c", start, *arguments])
    elif kind == "llama.cpp":
        serve_llama_cpp(folder / "model.gguf", port)
    else:
        sys.exit(__doc__)


def make():
    """The tokenizer, one token a byte, and the model, trained a little."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters = list(bytes_to_unicode().values())
    tokenizer = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, pad_token=END, extra_special_tokens=SPECIAL[1:]
    )
    tokenizer.chat_template = CHAT

    torch.manual_seed(1)
    torch.set_num_threads(1)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=WIDTH, intermediate_size=INNER, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=HEADS, max_position_embeddings=CONTEXT,
        bos_token_id=None, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    generator = torch.Generator().manual_seed(2)

    def draw(limit):
        return int(torch.randint(limit, (1,), generator=generator))

    for step in range(STEPS):
        length = 10 + draw(700)
        rows, answers = [], []
        for _ in range(8):
            text = "".join(chr(32 + draw(95)) for _ in range(length))
            answer = tokenizer("yes" if draw(10) < 7 else "no\n").input_ids + [tokenizer.eos_token_id]
            end = tokenizer([ASSISTANT, "Answer:"][draw(2)]).input_ids
            rows.append((tokenizer(text).input_ids + end)[-length:] + answer)
            answers.append(len(answer))
        rows = torch.tensor(rows)
        goal = rows.clone()
        for row, answer in zip(goal, answers):
            row[:-answer] = -100
        loss = model(input_ids=rows, labels=goal).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"trained {STEPS} steps, loss {loss.item():.3f}", file=sys.stderr, flush=True)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    # Without this, transformers' server takes the most probable token whatever temperature it is asked for.
    model.generation_config.do_sample = True
    return tokenizer, model.eval()


def write_gguf(path, tokenizer, model):
    """The same model in the format of llama.cpp."""
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(model.config.rms_norm_eps)
    writer.add_vocab_size(len(tokenizer))
    # Bytes only: the one merge is of two letters of which no token is made.
    words = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    kinds = [gguf.TokenType.CONTROL if word in SPECIAL else gguf.TokenType.NORMAL for word in words]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(words)
    writer.add_token_types(kinds)
    writer.add_token_merges([f"{words[0]} {words[0]}"])
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT)

    names = {
        "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    }
    top = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    for name, tensor in model.state_dict().items():
        values = tensor.detach().float().numpy()
        name = name.removesuffix(".weight")
        if name.startswith("model.layers."):
            layer, part = name.removeprefix("model.layers.").split(".", 1)
            if part in ("self_attn.q_proj", "self_attn.k_proj"):
                # Both rotate pairs of components, but llama.cpp has the partners side by side.
                values = values.reshape(HEADS, 2, WIDTH // HEADS // 2, WIDTH).swapaxes(1, 2).reshape(WIDTH, WIDTH)
            name = f"blk.{layer}.{names[part]}"
        else:
            name = top[name]
        writer.add_tensor(f"{name}.weight", values.copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve_llama_cpp(path, port):
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    print(f"listening on {server.listening_address}", file=sys.stderr, flush=True)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()

"""The seconds of a training step of PyTorch: step.py DEVICE MODEL SIZE LENGTH, as crates/training/benches/step.rs calls it."""
import sys
import time

import torch
from transformers import RobertaConfig, RobertaForSequenceClassification

device, model, size, length = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
shapes = {
    "base": dict(vocab_size=50265, max_position_embeddings=514),
    "small": dict(vocab_size=8192, max_position_embeddings=322, hidden_size=384, num_hidden_layers=6, num_attention_heads=6,
                  intermediate_size=1536),
    "student": dict(vocab_size=4096, max_position_embeddings=402, hidden_size=96, num_hidden_layers=3, num_attention_heads=4,
                    intermediate_size=384),
}
torch.manual_seed(0)
config = RobertaConfig(num_labels=2, type_vocab_size=1, attn_implementation="sdpa", **shapes[model])
network = RobertaForSequenceClassification(config).to(device).train()
optimizer = torch.optim.AdamW(network.parameters(), lr=1e-5)
ids = torch.randint(5, config.vocab_size, (size, length), device=device)
classes = torch.randint(0, 2, (size,), device=device)
steps = 3 if model == "base" and device == "cpu" else 10
for number in range(2 + steps):
    if number == 2:
        if device == "cuda":
            torch.cuda.synchronize()
        start = time.time()
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        loss = network(ids, labels=classes).loss
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
if device == "cuda":
    torch.cuda.synchronize()
print((time.time() - start) / steps)

import argparse

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

options = argparse.ArgumentParser()
options.add_argument("--backend", default="gloo")
options.add_argument("--epochs", type=int, default=1)
options = options.parse_args()

torch.manual_seed(1)
torch.set_num_threads(1)
dist.init_process_group(options.backend)
rank, size = dist.get_rank(), dist.get_world_size()
assert size > 1, "the processes did not find each other"

digits = load_digits()
data = TensorDataset(torch.tensor(digits.data / 16, dtype=torch.float32), torch.tensor(digits.target))
sampler = DistributedSampler(data, size, rank, seed=1)
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(1, options.epochs + 1):
    sampler.set_epoch(epoch)
    for step, (batch, labels) in enumerate(DataLoader(data, batch_size=16, sampler=sampler)):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(batch), labels)
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"Train Epoch: {epoch} [{step}] loss={loss.item():.4f}", flush=True)
guesses = model.module(data.tensors[0]).argmax(1)
accuracy = (guesses == data.tensors[1]).float().mean().item()
print(f"rank {rank} of {size}, accuracy={accuracy:.4f}", flush=True)
assert accuracy > 0.5, "nothing was learned"
dist.barrier()
dist.destroy_process_group()

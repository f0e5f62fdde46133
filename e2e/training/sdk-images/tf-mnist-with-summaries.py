import argparse
import os

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

options = argparse.ArgumentParser()
options.add_argument("--log_dir", default="/tmp/logs")
options.add_argument("--learning_rate", type=float, default=0.001)
options.add_argument("--batch_size", type=int, default=100)
options = options.parse_args()

digits = load_digits()
images, labels = (digits.data / 16).astype(np.float32), digits.target
model = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam(options.learning_rate)
loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
writer = tf.summary.create_file_writer(options.log_dir)
order = np.random.default_rng(1)
with writer.as_default():
    for step in range(200):
        chosen = order.choice(len(images), options.batch_size)
        with tf.GradientTape() as tape:
            loss = loss_of(labels[chosen], model(images[chosen]))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        if step % 20 == 0:
            accuracy = float(np.mean(np.argmax(model(images), 1) == labels))
            tf.summary.write("accuracy", accuracy, step)
            print(f"Accuracy at step {step}: {accuracy:.4f}", flush=True)
accuracy = float(np.mean(np.argmax(model(images), 1) == labels))
print(f"Accuracy: {accuracy:.4f}", flush=True)
assert accuracy > 0.8, "nothing was learned"
assert os.listdir(options.log_dir), "no summaries were written"

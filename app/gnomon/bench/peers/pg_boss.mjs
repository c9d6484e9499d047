// pg-boss: a herd, handed over in batches, each written by one statement, polled as often as it lets itself be polled.
import * as boss from "pg-boss";
import { Rows, cpu, herd, told, wanted } from "./task.mjs";

const BATCH = 1000;
// A worker rests half a second after each batch, so there are several.
const WORKERS = 4;
const PgBoss = boss.PgBoss ?? boss.default;
const client = new PgBoss(wanted.url);
client.on("error", (fault) => process.stderr.write(`${fault}\n`));
await client.start();
await client.createQueue("herd");
const rows = new Rows(wanted.url, 4);
const { due, jobs } = herd();
const began = performance.now();
for (let at = 0; at < jobs.length; at += 1000) {
  const some = jobs.slice(at, at + 1000).map((data) => ({ name: "herd", data, startAfter: new Date(due) }));
  // Since version 11 the queue is an argument of its own.
  await (client.insert.length > 1 ? client.insert("herd", some) : client.insert(some));
}
const made = (performance.now() - began) / 1000;
const started = cpu();
for (let number = 0; number < WORKERS; number += 1) {
  await client.work("herd", { batchSize: BATCH, pollingIntervalSeconds: 0.5 }, (batch) => rows.insertMany(batch.map((job) => job.data)));
}
await told(rows, due, made, started);

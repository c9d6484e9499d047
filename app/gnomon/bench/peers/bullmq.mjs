// BullMQ: schedulers, a herd, and a steady stream.
import { Queue, Worker } from "bullmq";
import { add, work } from "./steady.mjs";
import { Rows, answer, cpu, herd, told, wanted } from "./task.mjs";

const connection = { host: "127.0.0.1", port: wanted.redis_port, maxRetriesPerRequest: null };
const CONCURRENCY = 50;
// Ended jobs are not kept: ours are gone too, and keeping them costs memory and time.
const options = { removeOnComplete: true, removeOnFail: true };

/** The same pills as ours: all pairs of zone and time, neighbours of a chunk having little in common. */
function* pills() {
  const { zones, first_hour, hours, every, count } = wanted;
  for (let number = 0; number < count; number += 1) {
    const minutes = (Math.floor(number / zones.length) * every) % (hours * 60);
    const pattern = `${minutes % 60} ${first_hour + Math.floor(minutes / 60)} * * *`;
    yield [`pill-${number}`, { pattern, tz: zones[number % zones.length] }, { user: `u_${Math.floor(number / 4)}` }];
  }
}

async function create() {
  const queue = new Queue("pills", { connection });
  const make = (id, repeat, data) => queue.upsertJobScheduler(id, repeat, { name: "pill", data, opts: options });
  await make("warm", { pattern: "0 12 * * *", tz: "UTC" }, {});
  const [began, used] = [performance.now(), cpu()];
  let chunk = [];
  for (const pill of pills()) {
    chunk.push(make(...pill));
    if (chunk.length === wanted.chunk) {
      await Promise.all(chunk);
      chunk = [];
    }
  }
  await Promise.all(chunk);
  const seconds = (performance.now() - began) / 1000;
  const count = (await queue.getJobSchedulersCount()) - 1;
  answer({ seconds, count, cpu_s: cpu() - used });
}

async function runHerd() {
  const queue = new Queue("herd", { connection });
  const rows = new Rows(wanted.url, CONCURRENCY);
  const { due, jobs } = herd();
  const began = performance.now();
  for (let at = 0; at < jobs.length; at += 1000) {
    await queue.addBulk(
      jobs.slice(at, at + 1000).map((data) => ({ name: "row", data, opts: { ...options, delay: Math.max(0, data.due - Date.now()) } })),
    );
  }
  const made = (performance.now() - began) / 1000;
  const started = cpu();
  new Worker("herd", (job) => rows.insert(job.data.id, job.data.due), { connection, concurrency: CONCURRENCY });
  await told(rows, due, made, started);
}

const queue = () => new Queue("steady", { connection });

const works = {
  create,
  herd: runHerd,
  add: () => {
    const steady = queue();
    return add((event, due) => steady.add("post", event, { ...options, delay: Math.max(0, due - Date.now()) }));
  },
  work: () => work((post) => new Worker("steady", (job) => post(job.data), { connection, concurrency: CONCURRENCY })),
};
await works[wanted.work]();

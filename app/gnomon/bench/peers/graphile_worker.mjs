// graphile-worker: a herd, and a steady stream. Settings of its page on performance, and a short poll.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { add, work } from "./steady.mjs";
import { Rows, cpu, herd, told, wanted } from "./task.mjs";

const CONCURRENCY = 24;
const logger = new Logger(() => () => {});
const preset = {
  worker: {
    connectionString: wanted.url,
    concurrentJobs: CONCURRENCY,
    maxPoolSize: CONCURRENCY + 1,
    pollInterval: 100,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
};

const worker = (taskList) => run({ preset, logger, noHandleSignals: true, taskList });

async function runHerd() {
  const utils = await makeWorkerUtils({ preset, logger });
  await utils.migrate();
  const rows = new Rows(wanted.url, CONCURRENCY);
  const { due, jobs } = herd();
  const began = performance.now();
  for (let at = 0; at < jobs.length; at += 1000) {
    await utils.addJobs(jobs.slice(at, at + 1000).map((payload) => ({ identifier: "row", payload, runAt: new Date(due) })));
  }
  const made = (performance.now() - began) / 1000;
  const started = cpu();
  await worker({ row: (payload) => rows.insert(payload.id, payload.due) });
  await told(rows, due, made, started);
}

const works = {
  herd: runHerd,
  add: async () => {
    const utils = await makeWorkerUtils({ preset, logger });
    await add((event, due) => utils.addJob("post", event, { runAt: new Date(due) }));
  },
  work: () =>
    work(async (post) => {
      const utils = await makeWorkerUtils({ preset, logger });
      await utils.migrate();
      await worker({ post: (payload) => post(payload) });
    }),
};
await works[wanted.work]();

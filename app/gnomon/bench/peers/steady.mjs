// A steady stream: events added at their own pace by one process, posted to the receiver by another.
import http from "node:http";
import { answer, cpu, sleep, wanted } from "./task.mjs";

/** The body that the receiver takes; of the same shape and about the same size as one of ours. */
function eventOf(number, due) {
  return {
    id: `event_${number}`,
    data: {
      schedule_id: `event_${number}`,
      user_id: `u_${number % 200_000}`,
      occurrence: 1,
      channel: "webhook",
      due_at: new Date(due).toISOString(),
      params: { doctor: "Dr. Meyer" },
    },
  };
}

/** Ask for rate events a second by the clock, whatever becomes of them; each is due 5 to 60 s later. */
export async function add(one) {
  const total = Math.round(wanted.rate * wanted.seconds);
  const began = Date.now();
  const startedCpu = cpu();
  const open = new Set();
  let refused = 0;
  for (let number = 0; number < total; ) {
    const owed = Math.min(total, Math.floor(((Date.now() - began) / 1000) * wanted.rate) + 1);
    for (; number < owed; number += 1) {
      const due = Date.now() + 5000 + Math.floor(Math.random() * 55_000);
      const asked = one(eventOf(number, due), due).catch(() => (refused += 1)).finally(() => open.delete(asked));
      open.add(asked);
    }
    await sleep(2);
  }
  await Promise.all(open);
  answer({ accepted: total - refused, refused, seconds: (Date.now() - began) / 1000, cpu_s: cpu() - startedCpu });
}

/** Work until told to end. */
export async function work(start) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 50 });
  const { hostname, port, pathname } = new URL(wanted.sink);
  const post = (event) =>
    new Promise((done, failed) => {
      const body = JSON.stringify(event);
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const request = http.request({ agent, hostname, port, path: pathname, method: "POST", headers }, (got) => {
        got.resume();
        got.on("end", () => (got.statusCode < 300 ? done() : failed(new Error(`answered ${got.statusCode}`))));
      });
      request.on("error", failed);
      request.end(body);
    });
  await start(post);
  process.stdout.write("ready\n");
  process.on("SIGTERM", () => process.exit(0));
}

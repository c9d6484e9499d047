// What the scripts of all peers under node share: their one argument, their one answer, the caller's own table, the clock.
import pg from "pg";

export const wanted = JSON.parse(process.argv[2]);

/** Print the answer and end, whatever the peer still holds open. */
export function answer(told) {
  process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0));
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Seconds of processor that this process used. */
export function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The caller's own table: what a job of the herd ends in. */
export class Rows {
  constructor(url, connections) {
    this.pool = new pg.Pool({ connectionString: url, max: connections });
    this.count = 0;
  }

  async insert(id, due) {
    await this.pool.query({ name: "one", text: "insert into herd_rows (id, due_at) values ($1, to_timestamp($2))", values: [id, due / 1000] });
    this.count += 1;
  }

  async insertMany(jobs) {
    const text = "insert into herd_rows (id, due_at) select i, to_timestamp(d) from unnest($1::int[], $2::float8[]) as r (i, d)";
    await this.pool.query({ name: "many", text, values: [jobs.map((job) => job.id), jobs.map((job) => job.due / 1000)] });
    this.count += jobs.length;
  }

  /** Wait until so many are in it, or for so long. */
  async filled(count, seconds) {
    const until = Date.now() + seconds * 1000;
    while (this.count < count && Date.now() < until) await sleep(20);
    return this.count;
  }
}

/** Jobs of the herd, all due at the same instant, so many seconds from now. */
export function herd() {
  const due = Date.now() + wanted.lead_s * 1000;
  return { due, jobs: Array.from({ length: wanted.count }, (_, id) => ({ id, due })) };
}

/** Tell the instant once all is asked for and the worker waits, and what was done in the end. */
export async function told(rows, due, made, started) {
  const left = (due - Date.now()) / 1000;
  if (left < 1) throw new Error(`asking for ${wanted.count} took too long: ${left.toFixed(1)} s left`);
  process.stdout.write(JSON.stringify({ due: due / 1000 }) + "\n");
  const done = await rows.filled(wanted.count, wanted.patience_s + left);
  answer({ made_s: made, done, cpu_s: cpu() - started });
}

// Searches a line store in a thread of its own. Started by `LogSearch` with a `WorkerData`.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { Job } from './jobs.ts';
import { StoreMirror } from './mirror.ts';
import { BEAT, type Order, type Report, type WorkerData } from './protocol.ts';

/** Takes orders and works on all jobs in turn, a little at a time. */
class SearchWorker {
  readonly #port: MessagePort;
  readonly #beat: Int32Array;
  readonly #mirror = new StoreMirror();
  readonly #jobs = new Map<number, Job>();
  /** Those that could do more. */
  readonly #ready = new Set<number>();
  #isTurning = false;

  constructor(port: MessagePort, { beat }: WorkerData) {
    this.#port = port;
    this.#beat = new Int32Array(beat);
    port.on('message', (order: Order) => {
      this.#take(order);
    });
  }

  #take(order: Order): void {
    if (order.kind === 'sync') {
      this.#mirror.apply(order);
      for (const id of this.#jobs.keys()) this.#ready.add(id);
    } else if (order.kind === 'stop') {
      this.#jobs.delete(order.job);
      this.#ready.delete(order.job);
    } else {
      const say = (report: Report): void => {
        this.#port.postMessage(report);
      };
      const alive = (): void => {
        Atomics.add(this.#beat, BEAT.progress, 1);
      };
      this.#jobs.set(order.job, new Job(order.job, order.work, say, alive));
      this.#ready.add(order.job);
    }
    this.#turnSoon();
  }

  #turnSoon(): void {
    if (this.#isTurning || this.#ready.size === 0) return;
    this.#isTurning = true;
    // Between two turns orders are heard.
    setImmediate(() => {
      this.#isTurning = false;
      this.#turn();
      this.#turnSoon();
    });
  }

  #turn(): void {
    for (const id of [...this.#ready]) {
      const job = this.#jobs.get(id);
      if (!job) continue;
      Atomics.store(this.#beat, BEAT.job, id);
      if (!this.#goesOn(id, job)) this.#ready.delete(id);
      Atomics.add(this.#beat, BEAT.progress, 1);
      Atomics.store(this.#beat, BEAT.job, 0);
    }
  }

  #goesOn(id: number, job: Job): boolean {
    try {
      return job.step(this.#mirror) === 'more';
    } catch (error) {
      this.#jobs.delete(id);
      const reason = error instanceof Error ? error.message : String(error);
      this.#port.postMessage({ kind: 'failed', job: id, reason } satisfies Report);
      return false;
    }
  }
}

if (parentPort) new SearchWorker(parentPort, workerData as WorkerData);

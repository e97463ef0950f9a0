// Searches a line store in a worker thread. Started by `LogSearch` with its `HEARTBEAT`.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { SearchJob } from './searchJob.ts';
import { StoreMirror, HEARTBEAT, type WorkerRequest, type WorkerReport } from './storeMirror.ts';

/** Receives requests and advances all jobs in turn, in small steps. */
class SearchWorker {
  readonly #port: MessagePort;
  readonly #heartbeat: Int32Array;
  readonly #mirror = new StoreMirror();
  readonly #jobs = new Map<number, SearchJob>();
  /** The jobs that have more to do. */
  readonly #ready = new Set<number>();
  #isTurning = false;

  constructor(port: MessagePort, heartbeat: SharedArrayBuffer) {
    this.#port = port;
    this.#heartbeat = new Int32Array(heartbeat);
    port.on('message', this.#handle);
  }

  readonly #handle = (order: WorkerRequest): void => {
    if (order.kind === 'sync') {
      this.#mirror.apply(order);
      for (const id of this.#jobs.keys()) this.#ready.add(id);
    } else if (order.kind === 'stop') {
      this.#jobs.delete(order.job);
      this.#ready.delete(order.job);
    } else {
      const send = (report: WorkerReport): void => this.#port.postMessage(report);
      const alive = (): void => {
        Atomics.add(this.#heartbeat, HEARTBEAT.progress, 1);
      };
      this.#jobs.set(order.job, new SearchJob(order.job, order.work, send, alive));
      this.#ready.add(order.job);
    }
    this.#turnSoon();
  };

  #turnSoon(): void {
    if (this.#isTurning || this.#ready.size === 0) return;
    this.#isTurning = true;
    // Receives messages between two turns.
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
      Atomics.store(this.#heartbeat, HEARTBEAT.job, id);
      if (!this.#continues(id, job)) this.#ready.delete(id);
      Atomics.add(this.#heartbeat, HEARTBEAT.progress, 1);
      Atomics.store(this.#heartbeat, HEARTBEAT.job, 0);
    }
  }

  #continues(id: number, job: SearchJob): boolean {
    try {
      return job.step(this.#mirror) === 'more';
    } catch (error) {
      this.#jobs.delete(id);
      const reason = error instanceof Error ? error.message : String(error);
      this.#port.postMessage({ kind: 'failed', job: id, reason } satisfies WorkerReport);
      return false;
    }
  }
}

if (parentPort) new SearchWorker(parentPort, workerData as SharedArrayBuffer);

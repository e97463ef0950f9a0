// A compose project of five services with typical output, including one error.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from './ui/lab.ts';

export const SERVICES = ['api', 'cache', 'db', 'web', 'worker'] as const;
export type Service = (typeof SERVICES)[number];

/** Where the api fails: a file in the workspace, by its name in the container. */
export const FAULT = { file: 'payments.py', line: 11, text: 'raise PaymentError' };
/** The error that the api prints, and its stack trace. */
export const ERROR = 'ERROR order 4711 cannot be paid';
export const TRACE = [
  'Traceback (most recent call last):',
  '  File "/app/src/checkout.py", line 6, in checkout',
  '    receipt = charge(order)',
  `  File "/app/src/${FAULT.file}", line ${FAULT.line}, in charge`,
  '    raise PaymentError(f"card declined: {answer.reason}")',
  'payments.PaymentError: card declined: limit reached',
];

const PAYMENTS = `from acquirer import authorize, capture


class PaymentError(Exception):
    """The card was declined."""


def charge(order):
    answer = authorize(order.card, order.total)
    if not answer.accepted:
        raise PaymentError(f"card declined: {answer.reason}")
    return capture(answer.id)
`;
const CHECKOUT = `from payments import charge


def checkout(order):
    """Charges an order, and marks it as paid."""
    receipt = charge(order)
    return order.paid(receipt)
`;

const json = (level: string, msg: string, more: object): string =>
  JSON.stringify({ level, msg, ...more });
const GREEN = '\u001b[32m';
const YELLOW = '\u001b[33m';
const PLAIN = '\u001b[0m';

/** The output of each service. */
export const LINES: Readonly<Record<Service, readonly string[]>> = {
  api: [
    json('info', 'listening', { port: 3000, pid: 1 }),
    json('info', 'order accepted', { order: 4709, total: '59.90', ms: 12 }),
    json('debug', 'basket restored', { basket: 'b-81c2', items: 3 }),
    json('info', 'order accepted', { order: 4710, total: '18.50', ms: 9 }),
    json('warn', 'stock is low', { product: 'P-118', left: 2 }),
    [ERROR, ...TRACE].join('\n'),
    json('info', 'order accepted', { order: 4712, total: '7.20', ms: 11 }),
  ],
  cache: [
    '1:M * Ready to accept connections tcp',
    '1:M * 100 changes in 300 seconds. Saving...',
    '25:C * DB saved on disk',
    '1:M * Background saving terminated with success',
  ],
  db: [
    'LOG:  database system is ready to accept connections',
    'LOG:  checkpoint starting: time',
    'LOG:  duration: 312.480 ms  statement: SELECT * FROM orders WHERE state = $1',
    'WARNING:  there is already a transaction in progress',
    'LOG:  checkpoint complete: wrote 44 buffers (0.3%)',
  ],
  web: [
    `POST /api/orders ${GREEN}201${PLAIN} 47 ms`,
    `GET /products?page=2 ${GREEN}200${PLAIN} 18 ms`,
    `GET /products/118 ${GREEN}200${PLAIN} 6 ms`,
    `GET /favicon.ico ${YELLOW}404${PLAIN} 1 ms`,
    `POST /api/orders ${GREEN}201${PLAIN} 52 ms`,
  ],
  worker: [
    'INFO worker.mail: confirmation of order 4709 sent',
    'DEBUG worker.queue: 3 jobs waiting',
    'INFO worker.stock: reserved 2 of P-118',
    'WARNING worker.mail: mailbox is slow, attempt 2 of 5',
    'INFO worker.mail: confirmation of order 4710 sent',
  ],
};

/** Returns a shell script that prints these texts, with a pause before each. */
export function printing(lines: readonly string[], pause: string): string {
  const quoted = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`;
  return lines.map((line) => `sleep ${pause}; printf '%s\\n' ${quoted(line)}`).join('\n');
}

/** Writes the sources of the api to the workspace. */
export function writeSources(folder: string): void {
  mkdirSync(join(folder, 'api/src'), { recursive: true });
  writeFileSync(join(folder, 'api/src/payments.py'), PAYMENTS);
  writeFileSync(join(folder, 'api/src/checkout.py'), CHECKOUT);
}

/** Names to show in a screenshot. */
export interface ShopNames {
  readonly project?: string;
  readonly images?: Readonly<Record<Service, string>>;
}

/** The project in an engine. */
export class Shop {
  readonly project: string;
  readonly #lab: Lab;
  readonly #folder: string;
  readonly #images: Partial<Record<Service, string>>;

  /**
   * @param folder of the workspace; `api` in it is the api's `/app`.
   * @param names replace the unique project name and the bed's image.
   */
  constructor(lab: Lab, folder: string, names: ShopNames = {}) {
    this.#lab = lab;
    this.#folder = folder;
    this.project = names.project ?? lab.name('shop');
    this.#images = names.images ?? {};
  }

  name(service: Service, number = 1): string {
    return `${this.project}-${service}-${number}`;
  }

  /** Creates and starts a container of a service. */
  async up(service: Service, script: string, number = 1): Promise<void> {
    const name = this.name(service, number);
    const binds = service === 'api' ? [`${join(this.#folder, 'api')}:/app`] : [];
    await this.#lab.ask('POST', `/containers/create?name=${name}`, {
      Image: this.#images[service] ?? this.#lab.image,
      Cmd: ['sh', '-c', script],
      StopSignal: 'SIGKILL',
      WorkingDir: '/app',
      Labels: {
        'com.docker.compose.project': this.project,
        'com.docker.compose.config-hash': 'hash',
        'com.docker.compose.service': service,
        'com.docker.compose.container-number': String(number),
      },
      HostConfig: { Binds: binds },
    });
    await this.#lab.start(name);
  }

  /** Removes a service's container and creates a new one with a new ID, as compose does after a change. */
  async renew(service: Service, script: string): Promise<void> {
    await this.#lab.ask('DELETE', `/containers/${this.name(service)}?force=1`);
    await this.up(service, script);
  }

  async restart(service: Service): Promise<void> {
    await this.#lab.ask('POST', `/containers/${this.name(service)}/restart?t=0`);
  }
}

/** A create request in the words that an engine takes as they are meant. */

import { capabilitiesOf, type Capabilities } from '../capabilities.ts';
import { formatCommandLine } from './parseCommandLine.ts';
import type { Connection } from '../http/connection.ts';
import { EngineError, failedWith } from '../errors.ts';
import { inspectImage } from '../images/images.ts';
import { isSamePlatform } from '../isSamePlatform.ts';
import { asList, asRecord, asText, asTexts } from '../wire.ts';

/** How many seconds a container has to end by itself, where nobody says otherwise. */
const DEFAULT_GRACE_SECONDS = 10;

/** The wire form of a create request. */
export interface CreateRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly name?: string | undefined;
  readonly platform?: string | undefined;
}

/**
 * The body for one engine.
 *
 * @throws EngineError `notFound` where the image is there for another platform only; `badRequest` where the engine
 * would do something else than what is asked.
 */
export async function createRequestBody(
  connection: Connection,
  request: CreateRequest,
  signal?: AbortSignal,
): Promise<CreateRequest['body']> {
  const can = capabilitiesOf(await connection.info(signal));
  const { body } = request;
  if (!can.unsetsVariables) checkVariables(connection, body);
  if (!can.checksPlatformAtCreate) await checkPlatform(connection, request, signal);
  return {
    ...(!can.knowsUsualGrace && { StopTimeout: DEFAULT_GRACE_SECONDS }),
    ...body,
    ...(await healthFor(connection, body, can, signal)),
  };
}

/** An engine may take a name without a value for a variable of its own, and hand that out. */
function checkVariables(connection: Connection, body: CreateRequest['body']): void {
  const bare = asTexts(body['Env']).find((entry) => !entry.includes('='));
  if (bare !== undefined) throw refusal(connection, 'badRequest', `cannot unset ${bare}`);
}

/** An engine may take whatever platform it has for the one that was asked for. */
async function checkPlatform(
  connection: Connection,
  { platform, body }: CreateRequest,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (platform === undefined) return;
  const image = asText(body['Image']);
  const has = (await inspectImage(connection, image, signal)).platform;
  if (isSamePlatform(platform, has)) return;
  throw refusal(connection, 'notFound', `${image}: ${has}, not ${platform}`);
}

function refusal(
  { endpoint }: Connection,
  reason: 'badRequest' | 'notFound',
  engineMessage: string,
): EngineError {
  const operation = 'POST /containers/create';
  return new EngineError(reason, { endpoint: endpoint.url, operation, engineMessage });
}

/** The check as the engine reads it: it may part words anew, and take nothing of the image's for a part of ours. */
async function healthFor(
  connection: Connection,
  body: CreateRequest['body'],
  can: Capabilities,
  signal: AbortSignal | undefined,
): Promise<object> {
  const own = body['Healthcheck'];
  if (own === undefined || can.readsHealthchecks) return {};
  const check = { ...asRecord(own) };
  if (check['Test'] !== undefined) {
    return { Healthcheck: { ...check, Test: inOneLine(asTexts(check['Test'])) } };
  }
  const { Test, ...times } = await healthOfImage(connection, asText(body['Image']), signal);
  const test = asList(Test).length > 0 ? { Test: inOneLine(asTexts(Test)) } : {};
  return { Healthcheck: { ...times, ...check, ...test } };
}

async function healthOfImage(
  connection: Connection,
  image: string,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { raw } = await inspectImage(connection, image, signal);
    return asRecord(asRecord(asRecord(raw)['Config'])['Healthcheck']);
  } catch (error) {
    // The create itself says that the image is missing.
    if (failedWith(error, 'notFound')) return {};
    throw error;
  }
}

/** Words that would not come through one by one become a line for the shell. */
function inOneLine([kind = '', ...words]: readonly string[]): readonly string[] {
  return kind === 'CMD' && words.some((word) => word === '' || /\s/.test(word))
    ? ['CMD-SHELL', formatCommandLine(words)]
    : [kind, ...words];
}

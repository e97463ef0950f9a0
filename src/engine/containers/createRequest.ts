/** Adapts a create request to the quirks of the connected engine. */

import { capabilitiesOf, type Capabilities } from '../capabilities/capabilities.ts';
import { formatCommandLine } from '../options/parseCommandLine.ts';
import type { Connection } from '../http/connection.ts';
import { EngineError } from '../errors.ts';
import { findImage, inspectImage } from '../images/images.ts';
import { isSamePlatform } from '../options/isSamePlatform.ts';
import { asList, asRecord, asText, asTexts } from '../wire/wire.ts';

/** Stop timeout in seconds if none is set. */
const DEFAULT_GRACE_SECONDS = 10;

/** The query parameters and the body of a create request. */
export interface CreateRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly platform?: string;
}

/**
 * Returns the request body for the connected engine.
 *
 * @throws EngineError `notFound` if the image exists for another platform only; `badRequest` if the engine would
 * silently do something other than requested.
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

/** Rejects variables without a value if the engine would set them from its own environment. */
function checkVariables(connection: Connection, body: CreateRequest['body']): void {
  const bare = asTexts(body['Env']).find((entry) => !entry.includes('='));
  if (bare !== undefined) throw refusal(connection, 'badRequest', `cannot unset ${bare}`);
}

/** Rejects an image of another platform than requested if the engine does not check that itself. */
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

/**
 * Adapts the health check: an engine may split the words of the command again, and may not fill in unset fields
 * from the image.
 */
async function healthFor(
  connection: Connection,
  body: CreateRequest['body'],
  can: Capabilities,
  signal: AbortSignal | undefined,
): Promise<object> {
  const own = body['Healthcheck'];
  if (own === undefined || can.readsHealthchecks) return {};
  const check = { ...asRecord(own) };
  if (check['Test'] !== undefined)
    return { Healthcheck: { ...check, Test: inOneLine(asTexts(check['Test'])) } };
  const { Test, ...times } = await healthOfImage(connection, asText(body['Image']), signal);
  const test = asList(Test).length > 0 ? { Test: inOneLine(asTexts(Test)) } : {};
  return { Healthcheck: { ...times, ...check, ...test } };
}

async function healthOfImage(
  connection: Connection,
  image: string,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  // A missing image is reported by the create request itself.
  const found = await findImage(connection, image, signal);
  return asRecord(asRecord(asRecord(found?.raw)['Config'])['Healthcheck']);
}

/** Converts words that the engine would split again to a single shell command. */
function inOneLine([kind = '', ...words]: readonly string[]): readonly string[] {
  return kind === 'CMD' && words.some((word) => word === '' || /\s/.test(word))
    ? ['CMD-SHELL', formatCommandLine(words)]
    : [kind, ...words];
}

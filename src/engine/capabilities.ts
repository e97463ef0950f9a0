/**
 * What engines can do and others cannot. Nothing else in the project asks for a product or compares versions
 * to decide what to do: whoever needs to know asks here.
 */

import type { EngineInfo } from './model.ts';
import { compareApi } from './version.ts';

/** What an engine can do, of all that we use. */
export interface Capabilities {
  /** A request for a version newer than its own is refused. */
  readonly refusesNewerApi: boolean;
  /** A list of the running containers has those that are paused, too. */
  readonly listsPausedAsRunning: boolean;
  /** A container created without a word about the grace of its stop gets the usual one, and not none. */
  readonly knowsUsualGrace: boolean;
  /** The grace of a stop may be -1: without an end. */
  readonly takesEndlessGrace: boolean;
  /** A create for a platform refuses an image of another one. */
  readonly checksPlatformAtCreate: boolean;
  /** A variable of the image that a create names without a value is not set. */
  readonly unsetsVariables: boolean;
  /** A health check keeps its words one by one, and takes what it does not say from the image. */
  readonly readsHealthchecks: boolean;
  /** A wait for the next exit sees a run however short: elsewhere the engine looks four times a second. */
  readonly waitsForShortRuns: boolean;
  /** A wait for a removal tells how the container had ended. */
  readonly tellsExitAtRemoval: boolean;
  /** An image that is removed by force leaves the containers that were made from it. */
  readonly forcedRemovalKeepsUsers: boolean;
  /** An image's details can be asked for one of the platforms it has. */
  readonly inspectsByPlatform: boolean;
  /** An event tells of a build that gives its image no name. */
  readonly tellsUntaggedBuilds: boolean;
  /** It can be asked what a registry has, without fetching it. */
  readonly asksRegistries: boolean;
  /** A search goes to one registry, whatever other is named in it. */
  readonly searchesOneRegistry: boolean;
  /** A followed log answers before there is a line, and lacks none at its end. */
  readonly followsLogsWhole: boolean;
  /** A followed log ends with the run of its container, however soon the next run begins. Podman 4.3 and 5.8 go on. */
  readonly endsLogsWithRun: boolean;
  /** A log that is read while its container writes ends with a whole record. Podman 4.3 may cut it. */
  readonly readsLastRecordWhole: boolean;
  /** `since` and `until` of a log are inclusive, and exact as numbers. */
  readonly includesLogBounds: boolean;
  /** The log of a terminal has its time stamps only where they can be told from the text. */
  readonly stampsTerminalLines: boolean;
  /** A log's `tail` leaves every record as it is. Where it does not, the end is read by moments in time. */
  readonly countsFromEnd: boolean;
  /** The pieces of a line that was too long for one record bear the same time stamp. */
  readonly stampsPiecesAlike: boolean;
}

/** The first version that tells of an image of several platforms which of them it has. */
const INSPECTS_BY_PLATFORM = '1.49';
/** The first version that says `create` of an image: Docker 27. */
const TELLS_UNTAGGED_BUILDS = '1.46';

/**
 * What an engine can do. Of an engine that hides its name is assumed what every engine was seen to do, and of
 * its logs the worst.
 */
export function capabilitiesOf({ product, api, engineApi }: EngineInfo): Capabilities {
  const isPodman = product === 'podman';
  const isDocker = product === 'docker';
  return {
    refusesNewerApi: !isPodman,
    listsPausedAsRunning: !isPodman,
    knowsUsualGrace: !isPodman,
    takesEndlessGrace: !isPodman,
    checksPlatformAtCreate: !isPodman,
    unsetsVariables: isDocker,
    readsHealthchecks: isDocker,
    waitsForShortRuns: !isPodman,
    tellsExitAtRemoval: !isPodman,
    forcedRemovalKeepsUsers: isDocker,
    inspectsByPlatform: !isPodman && compareApi(api, INSPECTS_BY_PLATFORM) >= 0,
    // Whatever version is spoken with it: its events are the same.
    tellsUntaggedBuilds:
      isPodman || (isDocker && compareApi(engineApi, TELLS_UNTAGGED_BUILDS) >= 0),
    asksRegistries: isDocker,
    searchesOneRegistry: !isPodman,
    followsLogsWhole: isDocker,
    endsLogsWithRun: isDocker,
    readsLastRecordWhole: isDocker,
    includesLogBounds: !isPodman,
    stampsTerminalLines: isDocker,
    countsFromEnd: isDocker,
    stampsPiecesAlike: isDocker,
  };
}

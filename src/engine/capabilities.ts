/**
 * What engines can do and others cannot. Nothing else in the project asks for a product or compares versions
 * to decide what to do: whoever needs to know asks here.
 */

import type { EngineInfo } from './model.ts';
import { compareApi } from './version.ts';

/** What an engine can do, of all that we use. */
export interface Capabilities {
  /**
   * A request for a version newer than its own is refused.
   * Observed in Podman 4.3 and 5.8: it is answered.
   */
  readonly refusesNewerApi: boolean;
  /**
   * A list of the running containers has those that are paused, too.
   * Observed in Podman 4.3 and 5.8: it lacks them.
   */
  readonly listsPausedAsRunning: boolean;
  /**
   * A container created without a word about the grace of its stop gets the usual one, and not none.
   * Observed in Podman 4.3: it is killed at once. Podman 5.8 is right.
   */
  readonly knowsUsualGrace: boolean;
  /**
   * The grace of a stop may be -1: without an end.
   * Observed in Podman 4.3: it is refused. Podman 5.8 is right.
   */
  readonly takesEndlessGrace: boolean;
  /**
   * A create for a platform refuses an image of another one.
   * Observed in Podman 4.3: it is taken. Podman 5.8 says that there is no such image.
   */
  readonly checksPlatformAtCreate: boolean;
  /**
   * A variable of the image that a create names without a value is not set.
   * Observed in Podman 4.3 and 5.8: it gets the value that the engine itself has.
   */
  readonly unsetsVariables: boolean;
  /**
   * A health check keeps its words one by one, and takes what it does not say from the image.
   * Observed in Podman 4.3: words are split at spaces. Of 5.8 it is not known what it takes from the image.
   */
  readonly readsHealthchecks: boolean;
  /**
   * A wait for the next exit sees a run however short: elsewhere the engine looks four times a second.
   * Assumed of every Podman: which version is the first that misses none is not known.
   */
  readonly waitsForShortRuns: boolean;
  /**
   * A wait for a removal tells how the container had ended.
   * Observed in Podman 4.3: always 0. Podman 5.8 is right.
   */
  readonly tellsExitAtRemoval: boolean;
  /**
   * An image that is removed by force leaves the containers that were made from it.
   * Observed in Podman 4.3 and 5.8: it removes them.
   */
  readonly forcedRemovalKeepsUsers: boolean;
  /** An image's details can be asked for one of the platforms it has. */
  readonly inspectsByPlatform: boolean;
  /** An event tells of a build that gives its image no name. */
  readonly tellsUntaggedBuilds: boolean;
  /**
   * It can be asked what a registry has, without fetching it.
   * Observed in Podman 4.3 and 5.8: 404.
   */
  readonly asksRegistries: boolean;
  /**
   * A search goes to one registry, whatever other is named in it.
   * Observed in Podman 4.3 and 5.8: it goes to the one that is named.
   */
  readonly searchesOneRegistry: boolean;
  /**
   * A followed log answers before there is a line, and lacks none at its end.
   * Observed in Podman 4.3: lines of a flood are left out when its container exits. Not known of later ones.
   */
  readonly followsLogsWhole: boolean;
  /**
   * A followed log ends with the run of its container, however soon the next run begins.
   * Observed in Podman 4.3 and 5.8: it goes on.
   */
  readonly endsLogsWithRun: boolean;
  /**
   * A log that is read while its container writes ends with a whole record.
   * Observed in Podman 4.3: it may be cut.
   */
  readonly readsLastRecordWhole: boolean;
  /**
   * `since` and `until` of a log are inclusive, and exact as numbers.
   * Observed in Podman 5.8: exclusive. Every Podman reads numbers as floating-point ones.
   */
  readonly includesLogBounds: boolean;
  /**
   * The log of a terminal has its time stamps only where they can be told from the text.
   * Observed in Podman 5.8: a stamp stands before each piece, also within a line.
   */
  readonly stampsTerminalLines: boolean;
  /**
   * A log's `tail` leaves every record as it is. Where it does not, the end is read by moments in time.
   * Observed in Podman 4.3: pieces are joined wrongly. 5.8 counts lines in place of records.
   */
  readonly countsFromEnd: boolean;
  /**
   * The pieces of a line that was too long for one record bear the same time stamp.
   * Observed in Podman 5.8: each has its own.
   */
  readonly stampsPiecesAlike: boolean;
}

/** The first version that tells of an image of several platforms which of them it has. */
const INSPECTS_BY_PLATFORM = '1.49';
/** The first version that says `create` of an image: Docker 27. */
const TELLS_UNTAGGED_BUILDS = '1.46';

/** The first Podman that is known to be right where 4.3 is not, if a row says so. Observed in 5.8.6. */
const RIGHT_PODMAN = '5.8';

/**
 * What an engine can do. Of an engine that hides its name is assumed what every engine was seen to do, and of
 * its logs the worst.
 */
export function capabilitiesOf({
  product,
  version = '0.0',
  api,
  engineApi,
}: EngineInfo): Capabilities {
  const isPodman = product === 'podman';
  const isDocker = product === 'docker';
  // A version that is missing or no number counts as old.
  const isOldPodman = isPodman && !(compareApi(version, RIGHT_PODMAN) >= 0);
  return {
    refusesNewerApi: !isPodman,
    listsPausedAsRunning: !isPodman,
    knowsUsualGrace: !isOldPodman,
    takesEndlessGrace: !isOldPodman,
    checksPlatformAtCreate: !isPodman,
    unsetsVariables: isDocker,
    readsHealthchecks: isDocker,
    waitsForShortRuns: !isPodman,
    tellsExitAtRemoval: !isOldPodman,
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

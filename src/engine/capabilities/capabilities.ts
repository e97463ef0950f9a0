/**
 * Capabilities that some engines have and others lack. This is the only file that decides by product or
 * version.
 */

import type { EngineInfo } from '../model.ts';
import { compareApi } from './version.ts';

/** The first API version that reports the available platforms of a multi-platform image. */
const INSPECTS_BY_PLATFORM = '1.49';
/** The first API version that sends the event `create` for an image: Docker 27. */
const TELLS_UNTAGGED_BUILDS = '1.46';

/** The first API version whose engine supports HTTP/2 from the first byte. */
const SUPPORTS_HTTP2 = '1.53';
/** The first API version whose builder checks Dockerfiles: Docker 27. */
const CHECKS_DOCKERFILES = '1.46';
/** The first API version whose engine saves an exit before it reports it: Docker 23. */
const SAVES_EXIT_FIRST = '1.42';
/** The first API version whose engine keeps a history of builds: Docker 24. */
const KEEPS_BUILDS = '1.43';
/** The first API version whose engine is known to keep the age of a volume: Docker 27. */
const KEEPS_VOLUME_AGE = '1.46';

/** The first API version whose engine samples a container at once: Docker 23. */
const SAMPLES_AT_ONCE = '1.42';

/** The first Podman known to be correct where 4.3 is not, if an entry has it. Observed in 5.8.6. */
const RIGHT_PODMAN = '5.8';

/** Capabilities of an engine, as far as we use them. */
export type Capabilities = ReturnType<typeof capabilitiesOf>;

/**
 * Returns what an engine can do. An engine of unknown product is assumed to do what every engine was observed to
 * do, and the worst for its logs. "Observed" notes describe the engines that cannot.
 */
export function capabilitiesOf({ product, version = '0.0', api, engineApi }: EngineInfo) {
  const isPodman = product === 'podman';
  const isDocker = product === 'docker';
  // A version that is missing or not a number counts as old.
  const isOldPodman = isPodman && !(compareApi(version, RIGHT_PODMAN) >= 0);
  return {
    /**
     * Refuses a request with an API version newer than its own.
     * Observed in Podman 4.3 and 5.8: the request is accepted.
     */
    refusesNewerApi: !isPodman,
    /**
     * Names the runtime of a container in its inspect response.
     * Observed in Podman 4.3 and 5.8: only its own API does.
     */
    inspectsRuntime: !isPodman,
    /**
     * Sends an event for each stop by a client.
     * Observed in Podman 4.3 and 5.8: it is missing if the container has exited first.
     */
    reportsStops: !isPodman,
    /**
     * Includes paused containers in a list of the running ones.
     * Observed in Podman 4.3 and 5.8: they are missing.
     */
    listsPausedAsRunning: !isPodman,
    /**
     * Applies the default stop timeout to a container that was created without one.
     * Observed in Podman 4.3: the container is killed immediately. Podman 5.8 is correct.
     */
    knowsUsualGrace: !isOldPodman,
    /**
     * Accepts -1 (wait forever) as timeout of a stop or a restart.
     * Observed in Podman 4.3: refused. Podman 5.8 accepts it for a stop and refuses it for a restart.
     */
    supportsEndlessGrace: !isPodman,
    /**
     * Refuses to create a container for a platform from an image of another platform.
     * Observed in Podman 4.3: the image is used. Podman 5.8 reports that there is no such image.
     */
    checksPlatformAtCreate: !isPodman,
    /**
     * Unsets a variable of the image if a create request has its name without a value.
     * Observed in Podman 4.3 and 5.8: it gets its value from the environment of the engine.
     */
    unsetsVariables: isDocker,
    /**
     * Keeps the arguments of a health check separate, and takes omitted fields from the image.
     * Observed in Podman 4.3: arguments are split at spaces. It is unknown which fields 5.8 takes from the image.
     */
    readsHealthchecks: isDocker,
    /**
     * Runs health checks on its own.
     * Observed in Podman 4.3 and 5.8: without timers of systemd, the status stays "starting".
     */
    runsHealthchecks: !isPodman,
    /**
     * Notices any run, however short, in a wait for the next exit. Other engines poll four times a second.
     * Assumed of every Podman: the first version that misses no run is unknown.
     */
    waitsForShortRuns: !isPodman,
    /**
     * Lists a container as exited when it sends the event `die`.
     * Observed in Docker 20.10: 45 to 80 ms later. Podman sends more events for the same exit in that time.
     */
    savesExitFirst: isDocker && compareApi(engineApi, SAVES_EXIT_FIRST) >= 0,
    /**
     * Reports the exit code of the container in a wait for its removal.
     * Observed in Podman 4.3: always 0. Podman 5.8 is correct.
     */
    tellsExitAtRemoval: !isOldPodman,
    /**
     * Inspects a container whose process exits at that moment.
     * Observed in Podman 4.3: status 500 if the process is gone when its file in /proc is read.
     */
    inspectsPastExit: !isOldPodman,
    /**
     * Keeps the containers of an image when the image is force removed.
     * Observed in Podman 4.3 and 5.8: they are removed, too.
     */
    forcedRemovalKeepsUsers: isDocker,
    /** Supports HTTP/2 without an upgrade. */
    supportsHttp2: isDocker && compareApi(engineApi, SUPPORTS_HTTP2) >= 0,
    /** Has BuildKit. For an engine of unknown product, the response decides. */
    hasBuildKit: !isPodman,
    /**
     * Checks a Dockerfile without building it.
     * Observed in Docker 20.10: refused. Later versions before 27 have no checks.
     */
    checksDockerfiles: isDocker && compareApi(engineApi, CHECKS_DOCKERFILES) >= 0,
    /** Lists the builds of all its clients. */
    keepsBuilds: isDocker && compareApi(engineApi, KEEPS_BUILDS) >= 0,
    /** Can inspect an image for one of its platforms. */
    inspectsByPlatform: !isPodman && compareApi(api, INSPECTS_BY_PLATFORM) >= 0,
    /** Sends an event for a build whose image has no tag. */
    tellsUntaggedBuilds:
      isPodman || (isDocker && compareApi(engineApi, TELLS_UNTAGGED_BUILDS) >= 0),
    /**
     * Sends an event when a network is created or removed.
     * Observed in Podman 4.3: none. Podman 5.8: only after the next event of a container.
     */
    reportsNetworks: !isPodman,
    /**
     * Can query the image of a registry without pulling it.
     * Observed in Podman 4.3 and 5.8: 404.
     */
    asksRegistries: isDocker,
    /**
     * Searches one registry, even if the search term names another one.
     * Observed in Podman 4.3 and 5.8: searches the registry in the search term.
     */
    searchesOneRegistry: !isPodman,
    /**
     * Responds to a followed log before the first line, and neither omits nor truncates lines.
     * Observed in Podman 4.3: lines are lost if the container exits during heavy output. Podman 5.8: a record
     * that is being written is truncated, or lost.
     */
    followsLogsWhole: isDocker,
    /**
     * Refuses to remove a network with containers if it is named by its ID.
     * Observed in Podman 4.3 and 5.8: it is removed, even with running containers. By its name, it is refused.
     */
    checksNetworkUseById: !isPodman,
    /**
     * Leaves a container as it is if it refuses to connect it.
     * Observed in Podman 4.3: after a refused fixed address, it counts as connected, and the engine can no longer
     * list containers.
     */
    forgetsRefusedConnections: !isOldPodman,
    /**
     * Ends a followed log when the container exits, even if it is restarted immediately.
     * Observed in Podman 4.3 and 5.8: the log continues.
     */
    endsLogsWithRun: isDocker,
    /**
     * Ends a log with a complete record if it is read while the container writes.
     * Observed in Podman 4.3 and 5.8: the last record may be truncated. If its time stamp is, a request with
     * `tail` is refused.
     */
    readsLastRecordWhole: isDocker,
    /**
     * Treats `since` and `until` of a log as inclusive and as exact numbers.
     * Observed in Podman 5.8: exclusive. Every Podman parses the numbers as floating-point.
     */
    includesLogBounds: !isPodman,
    /**
     * Adds timestamps to the log of a TTY only where they can be distinguished from the text.
     * Observed in Podman 5.8: a timestamp precedes each chunk, also within a line.
     */
    stampsTerminalLines: isDocker,
    /**
     * Leaves every record of a log unchanged with `tail`. For other engines, the end is read by time.
     * Observed in Podman 4.3: chunks are joined incorrectly. 5.8 counts lines instead of records.
     */
    countsFromEnd: isDocker,
    /**
     * Applies the last of several sizes of a terminal that follow each other closely.
     * Observed in Podman 4.3 and 5.8 with conmon before June 2025: it may apply the first size again instead. The
     * version of conmon is not reported.
     */
    appliesLastSize: !isPodman,
    /** Groups containers in pods. */
    hasPods: isPodman,
    /**
     * Keeps the owners of files in the archive of a path.
     * Observed in Podman 4.3 and 5.8: every owner is 0:0.
     */
    keepsOwnersInArchives: !isPodman,
    /**
     * Keeps setuid and setgid of a file that an archive has.
     * Observed in Docker 20.10: they are dropped. The first version that keeps them is unknown.
     */
    keepsSetuid: !isDocker || compareApi(engineApi, SAVES_EXIT_FIRST) >= 0,
    /**
     * Can copy a volume with the owners of its files, whatever runs: by archive, or with a request of its own.
     * Observed in Podman 4.3: neither. Podman 5.8 exports and imports volumes.
     */
    keepsOwnersInCopies: !isOldPodman,
    /**
     * Reports only those options of a volume that it was created with.
     * Observed in Podman 5.8: there are more, in capital letters.
     */
    keepsVolumeOptions: !isPodman,
    /**
     * Mounts a volume with options to read or write its files in a container that does not run.
     * Observed in Podman 4.3 and 5.8: it appears empty, and what is written is hidden by the next mount. Other mounts
     * are only in an archive of their own, not in that of a folder above them.
     */
    mountsVolumesToRead: !isPodman,
    /**
     * Gives a committed image the health check of the container.
     * Observed in Podman 4.3 and 5.8: the image has that of its base image.
     */
    commitsHealthCheck: !isPodman,
    /**
     * Supports `HEALTHCHECK` as a change of a commit.
     * Observed in Podman 4.3: refused. Podman 5.8 accepts it.
     */
    supportsHealthCheckChange: !isOldPodman,
    /**
     * Reports when a volume was created, whatever is written to it.
     * Docker 20.10: the age is that of the folder with the files. The first version that is correct is unknown.
     */
    keepsVolumeAge: isPodman || (isDocker && compareApi(engineApi, KEEPS_VOLUME_AGE) >= 0),
    /**
     * Extracts a symbolic link whose relative target is outside of the folder.
     * Observed in Docker 20.10: the archive is refused. The first version that takes it is unknown.
     */
    extractsLinksOut: !isDocker || compareApi(engineApi, SAVES_EXIT_FIRST) >= 0,
    /**
     * Applies the owner and mode of an existing folder that an archive has.
     * Observed in Podman 4.3 and 5.8: the root of a volume gets another owner when a container first mounts it.
     */
    changesFoldersByArchive: !isPodman,
    /**
     * Writes the files of an archive into a tmpfs mount.
     * Observed in Docker 20.10 and 28: they are written under the mount, where the container never sees them.
     */
    writesToTmpfs: isPodman,
    /**
     * Lists the processes of a container by itself, without a program `ps`.
     * Observed in Docker 20.10 and 28: it runs that of its machine.
     */
    listsProcessesItself: isPodman,
    /**
     * Answers a request for one sample of the statistics of a container at once.
     * Observed in Docker 20.10: after a second. Following the statistics takes no longer.
     */
    samplesAtOnce: isDocker && compareApi(api, SAMPLES_AT_ONCE) >= 0,
    /**
     * Samples several containers by one request.
     * Observed in Docker 20.10 and 28: one request for each container.
     */
    samplesTogether: isPodman,
    /**
     * Gives all chunks of a line that exceeds one record the same timestamp.
     * Observed in Podman 5.8: each chunk has its own.
     */
    stampsPiecesAlike: isDocker,
  };
}

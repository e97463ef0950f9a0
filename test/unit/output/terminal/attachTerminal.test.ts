import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { readContainerDetails } from '../../../../src/engine/containers/containerDetails.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { AttachTerminal } from '../../../../src/output/terminal/attachTerminal.ts';
import { HurriedClock } from '../../support/fakeClock.ts';
import { openLab, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

const ID = '0123456789abcdef'.repeat(4);

describe('output/terminal/attachTerminal', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Returns an attached terminal and what its container received. */
  const attach = async (
    config: object,
  ): Promise<{
    terminal: AttachTerminal;
    got: () => string;
    hasEnded: () => boolean;
    /** Ends the output. The container is then in this state. */
    end: (state: object) => void;
    shown: () => string;
  }> => {
    let text = '';
    let isOver = false;
    let inspected = '{}';
    let output: Socket | undefined;
    const { engine, connection } = await lab.raw((socket, head) => {
      if (!head.includes('/attach')) {
        const length = { 'content-length': String(inspected.length) };
        socket.write(bytesOf('200 OK', length, inspected));
        return;
      }
      output = socket;
      socket.write(bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' }));
      socket.on('data', (bytes) => (text += String(bytes))).on('end', () => (isOver = true));
    });
    const details = readContainerDetails({
      ...{ Id: ID, Name: '/cat', Config: { OpenStdin: true, ...config } },
      State: { Running: true, Status: 'running', StartedAt: '2026-11-22T10:00:00Z' },
    });
    const terminal = new AttachTerminal({ id: ID, name: 'cat' }, details, {
      ...{ connection, clock: new HurriedClock() },
    });
    let shown = '';
    terminal.screen.onDidWrite((more) => (shown += more));
    terminal.open({ columns: 80, rows: 24 });
    await when(() => shown.includes('Attached') && engine.seen.length > 0);
    const end = (state: object): void => {
      inspected = JSON.stringify({ Id: ID, Name: '/cat', Config: {}, State: state });
      output?.end();
    };
    return { terminal, got: () => text, hasEnded: () => isOver, end, shown: () => shown };
  };

  it('reports how the container ended', async () => {
    const startedAt = '2026-11-22T10:00:00Z';
    const exited = { Status: 'exited', StartedAt: startedAt, FinishedAt: '2026-11-22T10:00:01Z' };
    const ends: [state: object, message: string][] = [
      [{ ...exited, ExitCode: 3 }, 'Container cat exited with code 3.'],
      [
        { Status: 'running', Running: true, StartedAt: '2026-11-22T11:00:00Z' },
        'Container cat was restarted.',
      ],
    ];
    for (const [state, message] of ends) {
      const { terminal, end, shown } = await attach({ Tty: true });
      end(state);
      await when(() => shown().includes(message));
      terminal.close();
    }
  });

  it('closes if only the output of the container has ended', async () => {
    const { terminal, end } = await attach({ Tty: true });
    let isClosed = false;
    terminal.screen.onDidClose(() => (isClosed = true));
    end({ Status: 'running', Running: true, StartedAt: '2026-11-22T10:00:00Z' });
    await when(() => isClosed);
  });

  it('ends the input after the text pasted before', async () => {
    const { terminal, got, hasEnded } = await attach({ StdinOnce: true });
    const pasted = `${'x'.repeat(99)}\r`.repeat(2000);
    terminal.handleInput(pasted);
    terminal.handleInput('\x04');
    await when(hasEnded);
    assert.equal(got().length, pasted.length);
    terminal.close();
  });

  it('does not pass on replies of the terminal that the user did not type', async () => {
    const { terminal, got } = await attach({ Tty: true });
    terminal.handleInput('\x1b]52;c;bXktdmF1bHQtcGFzc3dvcmQ=\x07');
    terminal.handleInput('\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\');
    terminal.handleInput('typed');
    await when(() => got() !== '');
    assert.equal(got(), 'typed');
    terminal.close();
  });

  /** Returns the messages shown if the engine responds like this to an attach request. */
  async function refused(status: number, body: string): Promise<string> {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    return shownAtEnd(connection);
  }

  /** Returns the messages shown if attaching over this connection fails. */
  async function shownAtEnd(connection: Connection): Promise<string> {
    const details = readContainerDetails({ Id: ID, Name: '/cat', Config: { OpenStdin: true } });
    const terminal = new AttachTerminal({ id: ID, name: 'cat' }, details, {
      ...{ connection },
    });
    let shown = '';
    terminal.screen.onDidWrite((more) => (shown += more));
    terminal.open(undefined);
    await when(() => shown.includes('Press any key'));
    terminal.close();
    return shown;
  }

  it('explains why attaching failed, as far as the engine reports it', async () => {
    assert.match(await refused(404, '{"message":"none"}'), /Container cat was removed\./);
    assert.match(await refused(409, '{"message":"paused"}'), /Could not attach to cat: paused/);
    const lost = /Connection to the engine lost\. Container cat keeps running\./;
    assert.match(await refused(500, ''), lost);
  });

  it('says that the engine was removed in the settings', async () => {
    const { connection } = await lab.fake();
    connection.dispose('engineRemoved');
    const removed =
      /The engine was changed or removed in the settings\. Container cat keeps running\./;
    assert.match(await shownAtEnd(connection), removed);
  });

  it('reports that no session of the SSH connection is left', async () => {
    const { connection } = await lab.fake();
    Object.assign(connection, { upgrade: () => Promise.reject(new EngineError('sshFull')) });
    const full = /Too many logs and terminals are open over this SSH connection\. Close one/;
    const shown = await shownAtEnd(connection);
    assert.match(shown, full);
    assert.doesNotMatch(shown, /lost/);
  });
});

// What the tests share: servers of weft at ports that the system chooses, ended with their test, and
// a page that may not complain. WEFT_BIN names the program.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';

/** The program under test. */
export const program = process.env['WEFT_BIN'] ?? '../../bin/weft';

/** The token of the managers that `sm` starts. */
export const token = '0123456789abcdef0123456789abcdef';

/** Starts weft and waits until its output has a text; returns the first group of the match. */
async function start(args: string[], wanted: RegExp, started: ChildProcess[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (data: Buffer) => {
      said += data;
      const found = wanted.exec(said);
      if (found) resolve(found[1] ?? '');
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`weft ${args.join(' ')} has ended with ${code}: ${said}`)));
  });
}

/** Ends processes and waits for them. */
export async function end(started: ChildProcess[], signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }
}

/** A port that was free a moment ago, for weft sm, which does not print its port. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Starts weft ui with fabrics; returns its URL. */
export type StartUI = (...fabrics: string[]) => Promise<string>;
/** Starts weft sm on an emulated subnet and waits until it is up; returns the URL of its page. */
export type StartSM = (formula: string, ...options: string[]) => Promise<string>;

export const test = base.extend<{ ui: StartUI; sm: StartSM }, { shared: string }>({
  // One weft ui for all tests that need no fabric of their own: links such as /map?fabric=rlft(4,2).
  shared: [
    async ({}, use) => {
      const started: ChildProcess[] = [];
      const url = await start(['ui', '--addr', '127.0.0.1:0'], /(http:\S+)\//, started);
      await use(url);
      await end(started);
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ shared }, use) => use(shared),
  ui: async ({}, use) => {
    const started: ChildProcess[] = [];
    await use((...fabrics) => start(['ui', '--addr', '127.0.0.1:0', ...fabrics], /(http:\S+)\//, started));
    await end(started);
  },
  sm: async ({}, use) => {
    const started: ChildProcess[] = [];
    const folder = mkdtempSync(join(tmpdir(), 'weft-e2e-'));
    const file = join(folder, 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    await use(async (formula, ...options) => {
      const api = `127.0.0.1:${await freePort()}`;
      await start(['sm', '--transport', `emulate:${formula}`, '--api', api, '--api-token', file, ...options], /SUBNET UP/, started);
      return `http://${api}`;
    });
    await end(started);
    rmSync(folder, { recursive: true });
  },
});

/** Fails the test if the page throws, or the browser refuses something that the page does. */
export function mayNotComplain(page: Page, ...allowed: RegExp[]): void {
  page.on('console', (m) => {
    if (m.type() === 'error' && !allowed.some((a) => a.test(m.text()))) throw new Error(`the page complains: ${m.text()}`);
  });
  page.on('pageerror', (e) => {
    throw e;
  });
}

/** Logs in to the page of weft sm. */
export async function login(page: Page, url: string, text = token): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Token of the manager').fill(text);
  await page.getByRole('button', { name: 'Log in' }).click();
}

export { expect };

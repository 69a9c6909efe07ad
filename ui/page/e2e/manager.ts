// A manager of an emulated subnet, for tests: weft emulate and weft sm --api as processes.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { end, freePort, login as loginAt, program } from './weft';

export const tokens = { all: 'a'.repeat(40), read: 'r'.repeat(40) };

export class Manager {
  readonly dir = mkdtempSync(join(tmpdir(), 'weft-page-'));
  readonly name = `weft-page-${process.pid}-${Manager.#number++}`;
  static #number = 0;
  #subnet: ChildProcess | undefined;
  sm: ChildProcess | undefined;
  #port = 0; // the same after a restart

  constructor(readonly options: string[] = []) {
    writeFileSync(join(this.dir, 'tokens'), `tester all ${tokens.all}\nreader read ${tokens.read}\n`, { mode: 0o600 });
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts the subnet: a formula, or a file. */
  async emulate(fabric: string) {
    this.#subnet = spawn(program, ['emulate', fabric, '--name', this.name, '--control', join(this.dir, 'control')], { stdio: 'ignore' });
    await expect.poll(() => existsSync(join(this.dir, 'control'))).toBe(true);
  }

  /** Starts the manager, and waits for its API. */
  async start() {
    this.#port ||= await freePort();
    const file = (name: string) => join(this.dir, name);
    this.sm = spawn(program, ['sm', '-t', `ibsim:${this.name}`, '--api', `127.0.0.1:${this.#port}`, '--api-tokens', file('tokens'), '--state', file('state'), '--interval', '1s', '--counters', '500ms', ...this.options], { stdio: 'ignore' });
    await expect.poll(async () => (await this.ask('GET', '/v1/status').catch(() => undefined))?.in_force?.state, { timeout: 90_000 }).toBeTruthy();
  }

  get(path: string, method = 'GET', body?: unknown) {
    return fetch(this.url + path, { method, headers: { authorization: `Bearer ${tokens.all}`, 'content-type': 'application/json' }, ...(body ? { body: JSON.stringify(body) } : {}) });
  }

  async ask(method: string, path: string, body?: unknown) {
    return (await this.get(path, method, body)).json();
  }

  /** Gives a command to the emulator, such as: link "leaf 1" 3 down. */
  control(command: string) {
    const done = spawnSync(program, ['emulate', 'control', join(this.dir, 'control'), command]);
    if (done.status) throw new Error(`${command}: ${done.stderr}`);
  }

  async kill(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
    if (this.sm) await end([this.sm], signal);
  }

  async end() {
    await end([this.sm, this.#subnet].filter((child) => child !== undefined));
    rmSync(this.dir, { recursive: true });
  }
}

/** Logs in to the page of a manager, at a path. */
export const login = (page: Page, m: Manager, path: string, token = tokens.all) => loginAt(page, m.url + path, token);

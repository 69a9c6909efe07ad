// The client of the API: typed by openapi.json (npm run client), so a change there breaks the build
// here. Each call returns the document or throws a Refused with the server's words.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.gen';

type Schemas = components['schemas'];
export type About = Schemas['study.page.About'];
export type Opened = Schemas['study.page.Opened'];
export type Open = Schemas['study.page.Open'];
export type Look = Schemas['study.page.Look'];
export type Change = Schemas['study.page.Change'];
export type WhatIf = Schemas['study.page.WhatIf'];
export type State = Schemas['study.whatif.State'];
export type Part = Schemas['study.page.Part'];
export type Found = Schemas['study.page.Found'];
export type Paths = Schemas['study.page.Paths'];
export type Trace = Schemas['study.page.Trace'];
export type Picture = Schemas['fabric.layout.Picture'];
export type Line = Schemas['fabric.layout.Line'];
export type Box = Schemas['fabric.layout.Box'];
export type Status = Schemas['sm.service.Status'];
export type LogLine = Schemas['sm.terms.LogLine'];
export type Code = Schemas['sm.service.Code'];
export type Hot = Schemas['sm.perf.Hot'];
export type Moment = Schemas['sm.telemetry.Moment'];
export type Series = Schemas['sm.telemetry.Series'];
export type Change = Schemas['study.routing.Change'];
export type PortName = Schemas['fabric.PortName'];

/** The client, for endpoints that have no function here. */
export const client = createClient<paths>({ baseUrl: location.origin, fetch: patient });

/** Asks again while the server is at another question, which it answers one at a time. */
async function patient(request: Request): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(request.clone());
    if (answer.status !== 429 || tries === 300) return answer;
    await new Promise((again) => setTimeout(again, 200));
    request.signal.throwIfAborted();
  }
}

/** An unsuccessful request. Status 0: the server cannot be reached. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

type Result<T> = Promise<{ data?: T; error?: { error: string }; response: Response }>;

/** Returns the document of a request, or throws. */
export async function take<T>(request: Result<T>): Promise<T> {
  let result: Awaited<Result<T>>;
  try {
    result = await request;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new Refused(0, 'The server does not answer. Is it running?');
  }
  if (!result.response.ok) {
    throw new Refused(result.response.status, result.error?.error ?? result.response.statusText);
  }
  return result.data as T;
}

/** Asks the server, which answers one question at a time, in order: the next one waits. */
let last: Promise<unknown> = Promise.resolve();
function question<T>(ask: () => Result<T>, signal?: AbortSignal): Promise<T> {
  const mine = last
    .catch(() => {})
    .then(() => {
      signal?.throwIfAborted();
      return take(ask());
    });
  last = mine;
  return mine;
}

const of = (id: string) => ({ path: { id } });

export const about = () => take(client.GET('/v1/page'));
export const fabrics = async () => (await take(client.GET('/v1/fabrics'))).fabrics ?? [];
export const open = (body: Open) => take(client.POST('/v1/fabrics', { body }));
export const login = (token: string) => take(client.POST('/v1/session', { body: { token } }));
export const logout = () => take(client.DELETE('/v1/session'));
export const picture = (id: string, body: Look, signal: AbortSignal) =>
  question(() => client.POST('/v1/fabrics/{id}/map', { params: of(id), body, signal }), signal);
export const svg = (id: string, body: Look) => question(() => client.POST('/v1/fabrics/{id}/svg', { params: of(id), body }));
export const whatIf = (id: string, body: WhatIf, signal: AbortSignal) =>
  question(() => client.POST('/v1/fabrics/{id}/whatif', { params: of(id), body, signal }), signal);
export const search = (id: string, q: string, signal: AbortSignal) =>
  take(client.GET('/v1/fabrics/{id}/parts', { params: { ...of(id), query: { q } }, signal }));
export const part = (id: string, name: string, signal: AbortSignal) =>
  take(client.GET('/v1/fabrics/{id}/part', { params: { ...of(id), query: { name } }, signal }));
export const trace = (id: string, from: string, to: string, engines: string, signal: AbortSignal) =>
  question(() => client.POST('/v1/fabrics/{id}/path', { params: of(id), body: { from, to, engines }, signal }), signal);
export const codes = async () => (await take(client.GET('/v1/codes'))).codes ?? [];
export const links = (signal: AbortSignal) => take(client.GET('/v1/links', { signal }));
export const hot = (at: string, signal: AbortSignal) => take(client.GET('/v1/hot', { params: { query: { at } }, signal }));
export const history = (port: string, signal: AbortSignal) => take(client.GET('/v1/history', { params: { query: { port } }, signal }));
export const partitions = (signal: AbortSignal) => take(client.GET('/v1/partitions', { signal }));
export const plans = async (signal: AbortSignal) => (await take(client.GET('/v1/plans', { signal }))).plans ?? [];
export const comparePlans = (before: number, after: number, signal: AbortSignal) =>
  take(client.POST('/v1/fabrics/{id}/plans', { params: of('subnet'), body: { before, after }, signal }));
export const drain = (name: string) => take(client.POST('/v1/drain', { params: { query: { name } } }));
export const undrain = (name: string) => take(client.POST('/v1/undrain', { params: { query: { name } } }));
export const resweep = () => take(client.POST('/v1/resweep'));

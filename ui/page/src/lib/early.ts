// The first questions of a link, each needed by the next one: what the page is, its fabric, the
// picture. They are asked while the browser still loads the code that shows them.
import * as api from './api';
import { keep } from './kept';

async function ask(): Promise<void> {
  const query = new URLSearchParams(location.search);
  void keep('fabrics', api.fabrics());
  const page = await keep('page', api.about());
  const name = page.mode === 'manager' ? 'subnet' : query.get('fabric');
  if (!name) return;
  const fabric = await keep(`fabric ${name}`, api.find(name));
  if (location.pathname !== '/map') return;
  const look = api.lookOf((parameter) => query.get(parameter) ?? '');
  void keep(api.pictureOf(fabric.id, look), api.picture(fabric.id, look, new AbortController().signal));
}

ask().catch(() => undefined); // App and Map ask what failed again, and show it

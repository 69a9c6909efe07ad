import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The API of a server that runs already, for npm run dev: WEFT=http://127.0.0.1:8080
const server = process.env['WEFT'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the policy allows no inline scripts and styles
  },
  // The server refuses requests from other origins, so the proxy speaks as its own page.
  server: { proxy: { '/v1': { target: server, changeOrigin: true, headers: { origin: server } } } },
});

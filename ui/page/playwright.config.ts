import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  timeout: 20_000,
  workers: 1,
  use: {
    baseURL: 'http://127.0.0.1:18942',
    launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
  webServer: { command: `${process.env['WEFT_BIN'] ?? '../../bin/weft'} ui --addr 127.0.0.1:18942`, url: 'http://127.0.0.1:18942/' },
});

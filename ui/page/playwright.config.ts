import { defineConfig } from '@playwright/test';

// The servers are those of e2e/weft.ts.
export default defineConfig({
  testDir: 'e2e',
  timeout: 120_000,
  expect: { timeout: 30_000 },
  workers: 1,
  retries: process.env['CI'] ? 1 : 0, // a busy machine
  use: { launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] } },
});

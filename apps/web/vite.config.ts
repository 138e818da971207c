import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: { '/api': { target: process.env.API_URL ?? 'http://127.0.0.1:3000' } },
  },
  build: {
    outDir: 'dist',
    sourcemap: false,
    // light-dark() as it is: rewritten for older browsers it needs a color-scheme that Mantine sets from a variable.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // A data: URL would need its own exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    // The polyfill is an inline-free script of its own, but every browser that React 19 runs in has modulepreload.
    modulePreload: { polyfill: false },
  },
});

// `npm run gateway`: one gateway, fed by the api at API_URL. libuv resolves names on its thread pool: with the default of
// four threads, four slow names block all others. libuv reads the size at the first use, so it is set before the import.
process.env.UV_THREADPOOL_SIZE ??= '16';
await import('@propusk/gateway/main');

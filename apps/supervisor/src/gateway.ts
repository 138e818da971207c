// `npm run gateway`: one gateway, fed by the api at API_URL. Names are resolved on these threads, and four slow ones would
// hold up everybody; the first use of the pool reads it, so it stands before the import.
process.env.UV_THREADPOOL_SIZE ??= '16';
await import('@propusk/gateway/main');

// `npm run gateway`: one gateway, fed by the api at API_URL. Unit files of release 0.1 start this path.
await import('@propusk/gateway/main');

import type { Kind } from './measure.ts';

/** The kinds of load, and the bars of the gateway on one core. */

export const tunnels: Kind = {
  title: 'New tunnels',
  kind: 'tunnels',
  connections: 32,
  unit: [1, 'tunnels'],
  bars: [
    { peer: 'proxy-chain', bar: 1.25, of: 'work' },
    { peer: 'squid', bar: 0.75, of: 'work' },
  ],
};

export const requests: Kind = {
  title: 'Requests on kept connections',
  kind: 'requests',
  connections: 32,
  unit: [1, 'requests'],
  bars: [
    { peer: 'proxy-chain', bar: 1.6, of: 'work' },
    { peer: 'squid', bar: 0.75, of: 'work' },
  ],
};

export const oneStream: Kind = {
  title: 'Bytes down one tunnel',
  kind: 'bulk',
  connections: 1,
  unit: [2 ** 20, 'MiB'],
  bars: [{ peer: 'squid', bar: 0.95, of: 'work' }],
};

export const manyStreams: Kind = { ...oneStream, title: 'Bytes down 64 tunnels', connections: 64 };

export const echo: Kind = {
  title: '64 bytes there and back in a tunnel',
  kind: 'echo',
  connections: 1,
  unit: [1, 'round trips'],
  bars: [{ peer: 'squid', bar: 1, of: 'p50' }],
};

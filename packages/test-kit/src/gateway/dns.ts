import type { RemoteInfo } from 'node:dgram';
import { type AddressInfo, isIP } from 'node:net';
import dns2, { Packet } from 'dns2';

export interface NameServer {
  /** Address and port, in the format of GATEWAY_DNS. */
  readonly address: string;
  /** Number of queries for an IPv4 address. */
  readonly asked: () => number;
  /** The source ports of the queries for an IPv4 address, in order. */
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

/**
 * Starts a DNS server on loopback.
 * @param answer addresses of a name; empty for an unknown name; null to send no response
 * @param ttl seconds; 0, as a rebinding attacker sends
 * @param at where it listens; 0 is any free port
 */
export async function startNameServer(
  answer: (name: string) => readonly string[] | null | Promise<readonly string[]>,
  ttl = 0,
  at = { port: 0, address: '127.0.0.1' },
): Promise<NameServer> {
  const ports: number[] = [];
  const server = dns2.createServer({
    udp: { type: 'udp4' },
    async handle(request, send, client) {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const family = question?.type === Packet.TYPE.A ? 4 : 6;
      if (family === 4) ports.push((client as RemoteInfo).port);
      const addresses = question === undefined ? [] : await answer(question.name);
      if (question === undefined || addresses === null) return;
      for (const address of addresses.filter((each) => isIP(each) === family)) {
        const answered = { type: question.type, class: Packet.CLASS.IN, ttl, address };
        response.answers.push(new Packet.Resource({ name: question.name, ...answered }));
      }
      // The server may have stopped since.
      await Promise.resolve(send(response)).catch(() => {});
    },
  });
  const { udp } = await server.listen({ udp: at });
  const { port } = udp as AddressInfo;
  return {
    address: port === 53 ? at.address : `${at.address}:${port}`,
    asked: () => ports.length,
    ports,
    stop: async () => {
      await server.close();
    },
  };
}

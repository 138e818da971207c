import { type AddressInfo } from 'node:net';
import dns2, { Packet } from 'dns2';

export interface NameServer {
  /** Address and port, in the format of GATEWAY_DNS. */
  readonly address: string;
  /** Number of queries for an IPv4 address. */
  readonly asked: () => number;
  stop(): Promise<void>;
}

/** Starts a DNS server on loopback. @param answer IPv4 addresses of a name; empty for an unknown name */
export async function startNameServer(answer: (name: string) => readonly string[]): Promise<NameServer> {
  let asked = 0;
  const server = dns2.createServer({
    udp: { type: 'udp4' },
    handle(request, send) {
      const response = Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      if (question?.type === Packet.TYPE.A) {
        asked += 1;
        for (const address of answer(question.name)) {
          // A time to live of 0, as a rebinding attacker sends: no resolver may cache it.
          const answered = { type: Packet.TYPE.A, class: Packet.CLASS.IN, ttl: 0, address };
          response.answers.push(new Packet.Resource({ name: question.name, ...answered }));
        }
      }
      void send(response);
    },
  });
  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
  const { port } = udp as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    asked: () => asked,
    stop: async () => {
      await server.close();
    },
  };
}

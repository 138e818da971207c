import { createTransport } from 'nodemailer';
import type { Mail } from './compose-mail.ts';

/**
 * Creates an SMTP transport, without connecting.
 * @param url smtp:// or smtps://; its query may set options of nodemailer
 */
export function smtpTransport(url: string) {
  const { hostname, password } = new URL(url);
  const local = /^(localhost|127\.[0-9.]+|\[::1\])$/i.test(hostname);
  return createTransport({
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    dnsTimeout: 10_000,
    // A mail server on loopback needs no encryption, and TLS would fail if its certificate is self-signed.
    ignoreTLS: local,
    // Without this option, an attacker who strips STARTTLS could read the password (RFC 3207 section 6).
    requireTLS: password !== '' && !local,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Creates a sender over `smtpTransport`.
 * @returns a function that sends one mail and returns the server's reply. It throws nodemailer's error, whose `response` is the
 *   server's reply
 */
export function smtpSender(
  url: string,
): (message: Mail & { from: string }, signal?: AbortSignal) => Promise<string> {
  const transport = smtpTransport(url);
  return async (message, signal) => {
    // This header prevents automatic replies to our mail (RFC 3834).
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const sent = await transport.sendMail({ ...message, headers, textEncoding: 'base64', signal });
    return sent.response;
  };
}

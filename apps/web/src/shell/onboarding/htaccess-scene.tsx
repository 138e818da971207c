import { Person, Scene } from './art.tsx';

const MONO = 'var(--mantine-font-family-monospace)';

/** A configuration file with the lock's line, and a support agent. */
export function HtaccessScene() {
  return (
    <Scene>
      <path d="M-10 236H570" stroke="var(--art-line)" strokeWidth="3" />
      <rect
        x="44"
        y="40"
        width="316"
        height="180"
        rx="8"
        fill="var(--art-card)"
        stroke="var(--art-line)"
        strokeWidth="3"
      />
      <path d="M45.5 74H358.5" stroke="var(--art-line)" strokeWidth="2" />
      {[62, 74, 86].map((x) => (
        <circle key={x} cx={x} cy="57" r="3.4" fill="var(--art-mid)" />
      ))}
      <text x="108" y="62" fill="var(--mantine-color-text)" fontFamily={MONO} fontSize="14">
        .htaccess
      </text>
      <rect x="56" y="113" width="292" height="32" rx="6" fill="var(--accent-soft)" />
      <path d="M56 119v20" stroke="var(--art-bright)" strokeWidth="4" />
      <g fontFamily={MONO} fontSize="15" fill="var(--mantine-color-dimmed)">
        <text x="70" y="103">
          {'<RequireAny>'}
        </text>
        <text x="88" y="134" fill="var(--accent-soft-text)">
          Require ip 203.0.113.7
        </text>
        <text x="70" y="165">
          {'</RequireAny>'}
        </text>
      </g>
      <path d="M72 193h96M184 193h52" stroke="var(--art-text)" strokeWidth="5" />
      <Person x={458} y={142} color="var(--art-strong)" size={1.9} />
      {/* The support agent's headset. */}
      <path
        d="M433 146v-6a25 25 0 0 1 50 0v6M433 142v12M483 142v12q0 12-14 12"
        stroke="var(--art-bright)"
        strokeWidth="5"
      />
      <path
        d="M404 34h112a8 8 0 0 1 8 8v34a8 8 0 0 1-8 8h-46l-12 14-4-14h-50a8 8 0 0 1-8-8v-34a8 8 0 0 1 8-8Z"
        fill="var(--art-card)"
        stroke="var(--art-line)"
        strokeWidth="3"
      />
      <path d="m414 59 8 8 14-16" stroke="var(--art-bright)" strokeWidth="5" />
      <path d="M452 54h50M452 66h30" stroke="var(--art-text)" strokeWidth="5" />
    </Scene>
  );
}

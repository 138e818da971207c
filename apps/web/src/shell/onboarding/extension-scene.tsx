import { LogoMark } from '../../ui/logo.tsx';
import { Lines, Person, Scene } from './art.tsx';

/** A browser with the extension: its user is inside, a stranger stops at the shield. */
export function ExtensionScene() {
  return (
    <Scene>
      <path d="M-10 236H570" stroke="var(--art-line)" strokeWidth="3" />
      <Person x={72} y={176} color="var(--art-strong)" size={1.3} />
      <path d="M112 150H140" stroke="var(--art-bright)" strokeWidth="4" strokeDasharray="1 9" />
      <rect
        x="150"
        y="34"
        width="284"
        height="202"
        rx="8"
        fill="var(--art-card)"
        stroke="var(--art-line)"
        strokeWidth="3"
      />
      <path d="M151.5 72H432.5" stroke="var(--art-line)" strokeWidth="2" />
      {[168, 180, 192].map((x) => (
        <circle key={x} cx={x} cy="53" r="3.4" fill="var(--art-mid)" />
      ))}
      <rect x="208" y="43" width="168" height="20" rx="8" fill="var(--art-sky)" />
      <path d="M222 53h70" stroke="var(--art-text)" strokeWidth="5" />
      {/* The toolbar's extension icon. */}
      <LogoMark x={390} y={41} size={24} />
      {/* The protected admin panel. */}
      <Lines x={172} y={96} widths={[56, 40, 48, 32]} />
      <rect x="172" y="160" width="92" height="20" rx="6" stroke="var(--art-line)" strokeWidth="3" />
      <rect x="172" y="192" width="56" height="20" rx="6" fill="var(--art-strong)" />
      <Popup />
      <Person x={506} y={176} color="var(--art-quiet)" size={1.3} />
      <path d="M446 118l24 24M470 118l-24 24" stroke="var(--mantine-color-error)" strokeWidth="5" />
    </Scene>
  );
}

function Popup() {
  return (
    <g>
      <path
        d="M294 82h94l8-8 8 8h6a8 8 0 0 1 8 8v122a8 8 0 0 1-8 8h-116a8 8 0 0 1-8-8V90a8 8 0 0 1 8-8Z"
        fill="var(--art-card)"
        stroke="var(--art-strong)"
        strokeWidth="3"
      />
      <path
        d="M352 100c10 8 20 9 27 9v22c0 16-12 25-27 32-15-7-27-16-27-32v-22c7 0 17-1 27-9Z"
        fill="var(--art-sky)"
        stroke="var(--art-strong)"
        strokeWidth="4"
      />
      <path d="m341 130 8 8 15-17" stroke="var(--art-bright)" strokeWidth="5" />
      <rect x="302" y="181" width="44" height="24" rx="12" fill="var(--art-strong)" />
      <circle cx="334" cy="193" r="8" fill="var(--art-card)" />
      <path d="M360 193h40" stroke="var(--art-text)" strokeWidth="5" />
    </g>
  );
}

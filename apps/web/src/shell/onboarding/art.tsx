import type { ReactNode } from 'react';

/** The y coordinate of the ground in all pictures. */
const GROUND = 236;

/** One picture of the onboarding, on a canvas of 560 × 260. */
export function Scene({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 560 260" aria-hidden="true" fill="none" strokeLinecap="round" strokeLinejoin="round">
      {children}
    </svg>
  );
}

/** The fence along the ground, open between `from` and `to`. */
export function Fence({ from, to }: { from: number; to: number }) {
  const posts = Array.from({ length: 16 }, (_, index) => 10 + index * 36).filter((x) => x < from || x > to);
  return (
    <g stroke="var(--art-far)" strokeWidth="3">
      {posts.map((x) => (
        <path key={x} d={`M${x} 172V${GROUND}`} />
      ))}
      <path d={`M-10 186H${from}M${to} 186H570M-10 218H${from}M${to} 218H570`} />
      <path d={`M-10 ${GROUND}H570`} stroke="var(--art-line)" />
    </g>
  );
}

/** The gate, `width` wide around `x`. */
export function Gate({ x, width }: { x: number; width: number }) {
  const radius = width / 2;
  const top = 60 + radius;
  return (
    <path
      d={`M${x - radius} ${GROUND}V${top}a${radius} ${radius} 0 0 1 ${width} 0V${GROUND}`}
      fill="var(--art-card)"
      stroke="var(--art-strong)"
      strokeWidth="6"
    />
  );
}

/** A figure; size 1 is 44 wide. */
export function Person({ x, y, color, size = 1 }: { x: number; y: number; color: string; size?: number }) {
  return (
    <g transform={`translate(${x} ${y}) scale(${size})`}>
      <circle r="11" fill={color} />
      <path d="M-21 43a21 21 0 0 1 42 0" stroke={color} strokeWidth="5" />
    </g>
  );
}

/** A browser window with its page as children. */
export function Window(props: {
  x: number;
  y: number;
  width: number;
  height: number;
  quiet?: boolean;
  children?: ReactNode;
}) {
  const { x, y, width, height, quiet } = props;
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect
        width={width}
        height={height}
        rx="8"
        fill="var(--art-card)"
        stroke={quiet ? 'var(--art-far)' : 'var(--art-line)'}
        strokeWidth="3"
      />
      <path
        d={`M1.5 20H${width - 1.5}`}
        stroke={quiet ? 'var(--art-far)' : 'var(--art-line)'}
        strokeWidth="2"
      />
      {[12, 20, 28].map((dot) => (
        <circle key={dot} cx={dot} cy="10.5" r="2.4" fill={quiet ? 'var(--art-far)' : 'var(--art-mid)'} />
      ))}
      {props.children}
    </g>
  );
}

/** Placeholder lines of text. */
export function Lines({ x, y, widths }: { x: number; y: number; widths: readonly number[] }) {
  return (
    <g stroke="var(--art-text)" strokeWidth="5">
      {widths.map((width, index) => (
        <path key={width} d={`M${x} ${y + index * 13}h${width}`} />
      ))}
    </g>
  );
}

/** A closed lock in a round badge. */
export function Lock({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <circle r="14" fill="var(--art-strong)" stroke="var(--art-sky)" strokeWidth="4" />
      <rect x="-5.5" y="-2" width="11" height="8.5" rx="2" fill="var(--art-card)" />
      <path d="M-3.5-2v-2.5a3.5 3.5 0 0 1 7 0V-2" stroke="var(--art-card)" strokeWidth="2.2" />
    </g>
  );
}

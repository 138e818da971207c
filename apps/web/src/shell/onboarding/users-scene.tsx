import { Person, Scene, Window } from './art.tsx';

/** Users, their policies, and the sites that these open; one policy opens no site yet. */
export function UsersScene() {
  return (
    <Scene>
      <g stroke="var(--art-line)" strokeWidth="4">
        <path d="M110 56C160 56 160 86 212 86M110 136C160 136 160 186 212 186M110 216C160 216 160 186 212 186" />
        <path d="M348 186C390 186 390 128 424 128M348 186C390 186 390 214 424 214" />
      </g>
      <g stroke="var(--art-bright)" strokeWidth="4" strokeDasharray="1 9">
        <path d="M110 136C160 136 160 86 212 86M348 86C390 86 390 44 424 44M348 86C390 86 390 128 424 128" />
      </g>
      <Person x={78} y={42} color="var(--art-mid)" size={0.9} />
      <Person x={78} y={122} color="var(--art-strong)" size={0.9} />
      <Person x={78} y={202} color="var(--art-mid)" size={0.9} />
      <Policy y={56} checked={2} />
      <Policy y={156} checked={1} />
      <Window x={424} y={12} width={92} height={64} />
      <Window x={424} y={96} width={92} height={64} />
      <Window x={424} y={180} width={92} height={64} quiet />
      <path
        d="M444 52h52M444 136h52M444 148h28M444 64h34M444 220h52M444 232h28"
        stroke="var(--art-text)"
        strokeWidth="5"
      />
    </Scene>
  );
}

/** A policy as a card. */
function Policy({ y, checked }: { y: number; checked: number }) {
  return (
    <g transform={`translate(212 ${y})`}>
      <rect
        width="136"
        height="60"
        rx="8"
        fill="var(--art-card)"
        stroke={checked > 1 ? 'var(--art-strong)' : 'var(--art-line)'}
        strokeWidth="3"
      />
      {[20, 40].map((line, index) => (
        <g key={line}>
          <path
            d={`m14 ${line} 5 5 9-10`}
            stroke={index < checked ? 'var(--art-bright)' : 'var(--art-text)'}
            strokeWidth="4"
          />
          <path d={`M42 ${line}h${index === 0 ? 72 : 48}`} stroke="var(--art-text)" strokeWidth="5" />
        </g>
      ))}
    </g>
  );
}

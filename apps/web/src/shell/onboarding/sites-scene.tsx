import { Fence, Gate, Lines, Lock, Scene, Window } from './art.tsx';

/** Two sites behind the fence; a third is moving in. */
export function SitesScene() {
  return (
    <Scene>
      <Window x={34} y={58} width={132} height={96}>
        <Lines x={16} y={38} widths={[70, 96, 54]} />
      </Window>
      <Window x={396} y={44} width={132} height={104}>
        <path d="M16 84V66M38 84V48M60 84V58M82 84V38M104 84V54" stroke="var(--art-mid)" strokeWidth="9" />
      </Window>
      <Fence from={196} to={364} />
      <Gate x={280} width={156} />
      <Lock x={166} y={154} />
      <Lock x={396} y={148} />
      <g stroke="var(--art-strong)" strokeWidth="4">
        <rect x="226" y="118" width="108" height="78" rx="8" strokeDasharray="1 9" />
        <path d="M280 141v32M264 157h32" stroke="var(--art-bright)" strokeWidth="6" />
      </g>
      <path d="M280 212v40" stroke="var(--art-bright)" strokeWidth="4" strokeDasharray="1 10" />
    </Scene>
  );
}

/** The auth shell's picture: a fence with one gate open to a pass holder; the others stay outside. */
export function GateArt() {
  const posts = Array.from({ length: 15 }, (_, index) => -20 + index * 60).filter(
    (x) => Math.abs(x - 400) > 90,
  );
  return (
    <svg viewBox="0 0 800 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <g stroke="#1f564d" strokeWidth="3" strokeLinecap="round" fill="none">
        {posts.map((x) => (
          <path key={x} d={`M${x} 270V536`} />
        ))}
        <path d="M-40 320H294M506 320H840M-40 490H294M506 490H840" />
      </g>
      <path
        d="M306 536V290a94 94 0 0 1 188 0V536"
        fill="#0f4a42"
        fillOpacity="0.5"
        stroke="#46ae9b"
        strokeWidth="7"
        strokeLinecap="round"
      />
      <path d="M-40 536H306M494 536H840" stroke="#1f564d" strokeWidth="3" />
      <Person x={400} y={372} color="#8ff0d8" />
      <path d="M400 482V700" stroke="#8ff0d8" strokeWidth="4" strokeDasharray="1 14" strokeLinecap="round" />
      <Person x={170} y={620} color="#24655a" />
      <Person x={266} y={660} color="#24655a" />
      <Person x={560} y={628} color="#24655a" />
      <Person x={650} y={672} color="#24655a" />
    </svg>
  );
}

function Person({ x, y, color }: { x: number; y: number; color: string }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <circle r="18" fill={color} />
      <path d="M-34 70a34 34 0 0 1 68 0" fill="none" stroke={color} strokeWidth="7" strokeLinecap="round" />
    </g>
  );
}

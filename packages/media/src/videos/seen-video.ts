/** What was read of a video whose last picture is there. */
export interface SeenVideo {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
}

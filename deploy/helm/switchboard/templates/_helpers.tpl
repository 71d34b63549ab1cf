{{- define "switchboard.labels" -}}
app.kubernetes.io/name: switchboard
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "switchboard.selector" -}}
app.kubernetes.io/name: switchboard
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "switchboard.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The security context of pods and of their only container. */}}
{{- define "switchboard.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "switchboard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "switchboard.environment" -}}
- { name: SWITCHBOARD_PUBLIC_URL, value: {{ required "publicUrl is required" .Values.publicUrl | quote }} }
- { name: SWITCHBOARD_MCP_PUBLIC_URL, value: {{ required "mcpPublicUrl is required" .Values.mcpPublicUrl | quote }} }
- { name: SWITCHBOARD_MIGRATE, value: check }
- { name: SWITCHBOARD_HEALTH_PORT, value: "3009" }
{{- range $name, $value := .Values.environment }}
{{- if $value }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{- define "switchboard.volumes" -}}
- { name: data, emptyDir: { sizeLimit: 16Mi } }
- { name: tmp, emptyDir: { sizeLimit: 64Mi } }
{{- end }}

{{- define "switchboard.mounts" -}}
- { name: data, mountPath: /var/lib/switchboard }
- { name: tmp, mountPath: /tmp }
{{- end }}

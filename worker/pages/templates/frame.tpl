<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{{#UNLISTED}}<meta name="robots" content="noindex">
{{/UNLISTED}}<link rel="icon" href="data:,">
<title>{{TITLE}}</title>
{{>HEAD}}
<link rel="canonical" href="{{PAGE}}">
<link rel="stylesheet" href="{{EMBED_HOST}}/assets/external/frame-v1.css">
<script src="{{EMBED_HOST}}/assets/external/frame-v1.js" defer></script>
</head>
<body>
{{#MEDIA}}<div class="svc_frame" data-media="{{ID}}"{{#WITH_FACTS}} data-facts="{{FACTS}}"{{/WITH_FACTS}}>{{/MEDIA}}
{{#PLAYLIST}}<div class="svc_frame" data-playlist="{{ID}}"{{#WITH_FACTS}} data-facts="{{FACTS}}"{{/WITH_FACTS}}>{{/PLAYLIST}}
<video controls playsinline preload="none" aria-label="{{TITLE}}"{{#HAS_POSTER}} poster="{{POSTER}}"{{/HAS_POSTER}}>
{{#MANIFEST}}<source src="{{URL}}" type="application/vnd.apple.mpegurl">
{{/MANIFEST}}{{#MP4}}<source src="{{URL}}" type="video/mp4">
{{/MP4}}<a href="{{PAGE}}">{{TITLE}}</a>
</video>
</div>
</body>
</html>

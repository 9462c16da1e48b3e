<!DOCTYPE html>
<html lang="{{LANGUAGE}}" dir="{{DIRECTION}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<meta name="robots" content="noindex">
<title>{{TITLE}}</title>
<link rel="stylesheet" href="{{EMBED_HOST}}/assets/external/frame-v1.css">
</head>
<body>
<main class="svc_frame svc_problem">
<h1>{{TITLE}}</h1>
<p>{{TEXT}}</p>
{{#HAS_REQUEST_ID}}<p>{{_}}Request <code>{{REQUEST_ID}}</code>{{/_}}</p>{{/HAS_REQUEST_ID}}
</main>
</body>
</html>

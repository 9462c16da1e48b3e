<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<meta name="robots" content="noindex">
<title>{{TITLE}}</title>
<link rel="stylesheet" href="{{EMBED_HOST}}/assets/site.css">
</head>
<body class="narrow">
<main>
<h1>{{TITLE}}</h1>
<p>{{TEXT}}</p>
<p><a href="{{CODES}}">Look up a video by its address</a></p>
{{#HAS_REQUEST_ID}}<p class="meta">Request <code>{{REQUEST_ID}}</code></p>{{/HAS_REQUEST_ID}}
</main>
</body>
</html>

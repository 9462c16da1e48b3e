def html(data, titles):
    return "todo"
